import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { createProject, parseLines, untilSaid } from './devs.ts';

// What the configuration says must arrive where it acts: 1 MiB for a message, two connections.
const CONFIG = { mcp: { maxMessageBytes: 1_048_576 }, http: { maxConnections: 2, maxRequests: 1 } };

async function createLimited() {
  const project = await createProject();
  const file = path.join(project.outside, 'operator.json');
  await writeFile(file, JSON.stringify(CONFIG), { mode: 0o600 });
  return { project, args: ['serve', '--config', file] };
}

const tooLarge = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { more: 'x'.repeat(1_100_000) } });

describe('limits of the configuration', () => {
  it('bound a message on stdio', async () => {
    const { project, args } = await createLimited();
    await using _project = project;
    const child = project.start(args);
    child.stdin.end(`${tooLarge}\n`);
    const [stdout] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'close')]);
    expect(parseLines(stdout)).toMatchObject([{ id: 1, error: { code: -32_600, message: expect.stringContaining('at most 1048576') } }]);
  });

  it('bound a message and the connections over HTTP', async () => {
    const { project, args } = await createLimited();
    await using _project = project;
    const child = project.start([...args, '--http', '127.0.0.1:0', '--no-auth']);
    const [, url = ''] = await untilSaid(child, /(http:\S+\/mcp)/);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await fetch(url, { method: 'POST', headers, body: tooLarge });
    expect(answer.status).toBe(413);
    await answer.body?.cancel();
    child.kill('SIGTERM');
    await once(child, 'close');
  });
});
