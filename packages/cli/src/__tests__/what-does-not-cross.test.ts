import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import { createProject, type Project } from './devs.ts';
import { writeOperatorFile } from './test-client.ts';

// The rows of docs/reference/what-does-not-cross.md that no other test compares with the server alone.
const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const SERVER = path.resolve(__dirname, 'odd-server.mjs');
const REQUESTS: readonly (readonly [string, object])[] = [
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }],
  ['tools/list', {}],
  ['tools/call', { name: 'say', arguments: {} }],
  ['resources/list', {}],
  ['resources/read', { uri: 'odd://one' }],
  ['tasks/list', {}],
  ['resources/list', { cursor: 'of another' }],
];

type Answers = readonly unknown[];

let project: Project;
let alone: Answers;
let behind: Answers;
beforeAll(async () => {
  project = await createProject();
  const config = writeOperatorFile(project, { sanitize: { boundaries: 'on-request' } });
  alone = await ask([SERVER]);
  behind = await ask([MAIN, 'run', '--root', project.root, '--config', config, '--', process.execPath, SERVER]);
});
afterAll(async () => project[Symbol.asyncDispose]());

/** The answers, as they are written, to all requests, one after the other. */
async function ask(words: readonly string[]): Promise<Answers> {
  const { root, state } = project;
  const env = { ...process.env, DEVS_STATE_DIR: state, XDG_CONFIG_HOME: path.join(root, '..', 'config') };
  const child = spawn(process.execPath, [...words], { cwd: root, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answers: unknown[] = [];
  for (const [id, [method, params]] of REQUESTS.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    answers.push(await answerTo(id, lines));
  }
  child.stdin.end();
  await once(child, 'exit');
  return answers;
}

async function answerTo(id: number, lines: AsyncIterator<string>): Promise<unknown> {
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const message: unknown = JSON.parse(line.value);
    if (isRecord(message) && message['id'] === id) return message['result'] ?? message['error'];
  }
  throw new Error(`no answer to request ${id}`);
}

describe('what does not cross', () => {
  it('of a server that says who it is', () => {
    expect(alone[0]).toMatchObject({ serverInfo: { name: 'odd' }, instructions: 'Be odd.', capabilities: { tasks: {}, experimental: {} } });
    const { capabilities, serverInfo, instructions } = Object(behind[0]);
    expect(serverInfo).toMatchObject({ name: 'devs' });
    expect(instructions).toMatch(/^Text inside [^\n]*\nThe server "odd-server" says of itself: Be odd\.$/);
    expect(Object.keys(capabilities).toSorted()).toEqual(['resources', 'tools']);
  });

  it('of tools: members that MCP does not know, and _meta', () => {
    expect(Object(alone[1]).tools).toMatchObject([{ odd: 1, annotations: { odd: 1 }, _meta: {} }]);
    expect(Object(behind[1]).tools).toContainEqual({ name: 'say', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } });
  });

  it('of results: what MCP does not know, and what others speak under', () => {
    const { content, odd, _meta: meta } = Object(behind[2]);
    expect(Object(alone[2]).odd).toBe(1);
    expect(odd).toBeUndefined();
    expect(content).toEqual([
      { type: 'text', text: 'said', annotations: { priority: 1 } },
      { type: 'text', text: expect.stringMatching(/^\[devs \d+: content of an unknown kind was left out\]$/) },
    ]);
    expect(meta).toMatchObject({ 'io.example/trace': 'kept', 'devs/receipt': { seq: expect.any(Number) } });
    expect(Object.keys(meta).filter((key) => !key.startsWith('devs/'))).toEqual(['io.example/trace']);
  });

  it('of resources: media types that devs does not know; texts that come as bytes come as texts', () => {
    expect(Object(alone[3]).resources).toMatchObject([{ mimeType: 'text/x-odd', odd: 1 }]);
    expect(Object(behind[3]).resources).toEqual([{ uri: 'odd://one', name: 'one' }]);
    expect(Object(alone[4]).contents).toMatchObject([{ blob: 'b25l' }]);
    expect(Object(behind[4]).contents).toEqual([{ uri: 'odd://one', mimeType: 'text/plain', text: 'one' }]);
  });

  it('is answered: tasks are not offered, a cursor of another’s is refused', () => {
    expect(behind[5]).toMatchObject({ code: -32_601 });
    expect(alone[6]).toHaveProperty('resources');
    expect(behind[6]).toMatchObject({ code: -32_602, message: 'The cursor is none that devs has given out.' });
  });
});
