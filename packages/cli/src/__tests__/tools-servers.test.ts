import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createProject, parseLines, type Project } from './devs.ts';
import { typeAt } from './devs-terminal.ts';

/** A server that lists what stands in a file, and answers every call. */
const SERVER = `
  import { readFileSync } from 'node:fs';
  import { createInterface } from 'node:readline';
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const results = {
      initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
      'tools/list': () => ({ tools: JSON.parse(readFileSync(new URL(process.argv[2] ?? 'tools.json', import.meta.url), 'utf8')) }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'called ' + params.name }] }),
    };
    if (id === undefined) return;
    const answer = results[method] === undefined ? { error: { code: -32601, message: 'no' } } : { result: results[method]() };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
  });
`;
const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });

let project: Project;
let config: string;
beforeEach(async () => {
  project = await createProject();
  config = path.join(project.outside, 'devs.json');
  await writeFile(path.join(project.outside, 'server.mjs'), SERVER);
  const command = { command: process.execPath, args: [path.join(project.outside, 'server.mjs')] };
  const gone = { command: path.join(project.outside, 'gone') };
  await writeFile(config, JSON.stringify({ mcpServers: { mail: command, gone } }), { mode: 0o644 });
});
afterEach(async () => project[Symbol.asyncDispose]());

const list = async (...tools: readonly object[]) => {
  await writeFile(path.join(project.outside, 'tools.json'), JSON.stringify(tools));
  const lines = parseLines((await project.run(['tools', '--json', '--config', config])).stdout);
  const known = lines.filter(({ source }) => source === 'mail').map(({ name, state, refused = false }) => [name, state, refused]);
  return { known, lines };
};

describe('devs tools in front of servers', () => {
  it('shows what is pinned, new, changed and quarantined, and what is not there; a changed one is not called before it is approved', async () => {
    expect((await list(tool('send'), tool('hides', 'a\u200bb'))).known).toEqual([['mail__send', 'pinned', false], ['mail__hides', 'quarantined', true]]);
    const { known, lines } = await list(tool('send', 'send, and copy'), tool('list'));
    expect(known).toEqual([['mail__list', 'new', false], ['mail__send', 'changed', true]]);
    expect(lines).toContainEqual({ server: 'gone', state: 'failed', reason: expect.stringContaining('gone') });
    const text = (await project.run(['tools', '--config', config])).stdout;
    expect(text).toMatch(/^mail__list +mail +changes things +untrusted +new$/m);
    expect(text).toMatch(/^mail__send +mail +not offered: it has changed since it was pinned: devs tools diff mail__send +changed$/m);
    const call = async () => project.run(['call', 'mail__send', '--config', config]);
    expect(await call()).toMatchObject({ code: 2, stderr: expect.stringContaining('has changed this tool since it was approved') });
    expect(await project.run(['tools', 'diff', 'mail__send'])).toMatchObject({ code: 1, stdout: expect.stringContaining('+  | send, and copy') });
    expect(await typeAt(project, ['tools', 'approve', 'mail__send'], { typed: 'yes\n' })).toMatchObject({ code: 0 });
    expect(await call()).toMatchObject({ code: 0, stdout: expect.stringContaining('called send') });
  });

  it('offers nothing of them while the pins are damaged, and says how to mend that', async () => {
    await list(tool('send'));
    const pins = path.join(project.state, 'pins.json');
    await writeFile(pins, (await readFile(pins, 'utf8')).replace('send', 'sent'));
    const { code, stderr } = await project.run(['tools', '--config', config]);
    expect({ code }).toEqual({ code: 78 });
    expect(stderr).toMatch(/pins\.json" cannot be trusted: the file is damaged\. .*restore a good copy/);
    expect((await project.run(['call', 'mail__send', '--config', config])).code).not.toBe(0);
  });

  it('offers two servers of one package, each held to pins of its own', async () => {
    const runner = path.join(project.outside, 'npx');
    await writeFile(runner, `#!/bin/sh\nexec '${process.execPath}' '${path.join(project.outside, 'server.mjs')}' "$3"\n`, { mode: 0o755 });
    const mcpServers = { one: { command: runner, args: ['-y', 'remote', 'one.json'] }, two: { command: runner, args: ['-y', 'remote', 'two.json'] } };
    await writeFile(config, JSON.stringify({ mcpServers }));
    const states = async (ofTwo: string) => {
      await writeFile(path.join(project.outside, 'one.json'), JSON.stringify([tool('send')]));
      await writeFile(path.join(project.outside, 'two.json'), JSON.stringify([tool('send', ofTwo)]));
      const lines = parseLines((await project.run(['tools', '--json', '--config', config])).stdout);
      return lines.filter(({ source }) => source === 'one' || source === 'two').map(({ name, state }) => `${String(name)} ${String(state)}`).toSorted();
    };
    const all = ['one__send pinned', 'two__send pinned'];
    expect(await states('of the other')).toEqual(all);
    expect(await states('of the other')).toEqual(all);
    expect(await states('changed')).toEqual(['one__send pinned', 'two__send changed']);
    expect(await typeAt(project, ['tools', 'approve', 'two__send'], { typed: 'yes\n' })).toMatchObject({ code: 0 });
    expect(await states('changed')).toEqual(all);
    expect(await readFile(path.join(project.state, 'pins.json'), 'utf8')).not.toContain('two.json');
  });

  it('shows of an entry that runs another server now nothing of what the old one had changed', async () => {
    await list(tool('send'));
    expect((await list(tool('send', 'changed'))).known).toEqual([['mail__send', 'changed', true]]);
    const mail = { command: process.execPath, args: [path.join(project.outside, 'server.mjs'), 'tools.json'] };
    await writeFile(config, JSON.stringify({ mcpServers: { mail } }));
    expect((await list(tool('send', 'changed'))).known).toEqual([['mail__send', 'pinned', false]]);
    const diff = async (...more: readonly string[]) => project.run(['tools', 'diff', 'mail__send', ...more]);
    expect(await diff('--config', config)).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('mail__send is as it was pinned') });
    expect(await project.run(['tools', 'approve', '--all', '--config', config])).toMatchObject({ code: 0, stderr: 'Nothing differs from what is pinned.\n' });
    // Without the configuration nobody knows which of them is.
    expect((await diff()).code).toBe(1);
  });
});
