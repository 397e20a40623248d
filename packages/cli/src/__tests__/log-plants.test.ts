import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogArchiver } from '@devs/storage';
import { createProject, parseLines, type Project } from './devs.ts';
import { keptBytes, openTestClient, writeOperatorFile, type TestClient } from './test-client.ts';
import { readRecords } from './log-state.ts';

const SERVER = path.resolve(__dirname, '../../../mcp/src/upstream/__tests__/hostile-server.mjs');

/** Put together at run time: what looks like a token would be found in the sources. */
const token = ['ghp', randomBytes(18).toString('hex')].join('_');
/** Its middle: what is left of it when an end of it is masked or cut. */
const part = token.slice(4, 20);

interface Plant {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** No secret: it is written down, and goes with the payloads. */
const ERASABLE = 'quokkasong';

/** Each channel by which an agent, or a file that it reads, can put words into the log. */
function plantsOf(text: string): readonly Plant[] {
  return [
    { name: 'read_file', args: { path: 'holds.txt' } },
    { name: 'search_files', args: { pattern: 'a word' } },
    { name: 'search_files', args: { pattern: text } },
    { name: 'read_file', args: { path: `${text}.txt` } },
    { name: 'read_file', args: { path: `../${text}` } },
    { name: 'write_file', args: { path: 'new.txt', content: `${ERASABLE} = "${text}"` } },
    { name: 'write_file', args: { path: 'json.txt', content: JSON.stringify({ a: JSON.stringify({ b: [text] }) }) } },
    { name: 'read_file', args: { path: 'json.txt' } },
    { name: 'read_file', args: { path: { deep: [{ er: text }] } } },
    { name: 'read_file', args: { path: 'hello.txt', [text]: 1 } },
    { name: 'read_file', args: { path: 'hello.txt', limit: text } },
    { name: text, args: {} },
    { name: 'no_such_tool', args: { text } },
    { name: 'read_more', args: { handle: text } },
    { name: 'read_file', args: { path: 'hello.txt' }, context: { agentId: text, phaseId: text, epicId: text, taskId: text } },
    { name: 'read_file', args: { path: 'hello.txt' }, context: { agentId: 'agent', turnIndex: text } },
  ];
}

async function plantAll({ client }: TestClient, text: string): Promise<void> {
  for (const { name, args, context } of plantsOf(text)) {
    const meta = context === undefined ? {} : { _meta: { 'devs/context': context } };
    // A refusal is an answer too; what the client itself turns away has not been sent.
    await client.callTool({ name, arguments: { ...args }, ...meta }).catch(() => undefined);
  }
}

/** Lines that no client would send. */
const rawLines = (text: string) => [
  JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: text, version: text } } }),
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_file', arguments: [text] } }),
  JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: { text }, arguments: {} } }),
  `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a","path":"${text}"}}}`,
  `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_file","arguments":{"__proto__":{"a":${JSON.stringify(text)}}}}}`,
  `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"${text}`,
];

/** As `devs logs archive` would two days later. */
async function eraseAll({ state }: Project): Promise<void> {
  const now = () => new Date(Date.now() + 2 * 24 * 60 * 60 * 1_000).toISOString();
  const archiver = new LogArchiver({ file: path.join(state, 'agent_logs.db'), now });
  const { erased, problems } = await archiver.run({ payloadDays: 1, unsigned: true });
  expect({ erased: erased > 20, problems }).toEqual({ erased: true, problems: [] });
}

describe('a secret that is planted in every channel', () => {
  it('is in no byte on disk: not while the log is written, nor in its index, its heads, an archive, or after an erasure', async () => {
    await using project = await createProject();
    const bytes = () => keptBytes(project) + keptBytes({ ...project, state: path.join(project.root, '..', 'config') }) + keptBytes({ ...project, state: project.outside });
    writeFileSync(path.join(project.root, 'holds.txt'), `a word\nkey = "${token}"\na word\n`);
    const config = writeOperatorFile(project, { audit: { heads: { everyRecords: 5, systemLog: false, file: path.join(project.outside, 'heads.jsonl') } } });
    {
      await using testClient = await openTestClient(project, ['serve', '--config', config]);
      await plantAll(testClient, token);
      await project.run(['logs', 'search', 'github*']);
      expect(bytes()).not.toContain(part);
      // It is looked for where records are: the mark stands in its place, in the index too.
      expect(readFileSync(path.join(project.state, 'agent_logs.db-wal'), 'latin1')).toContain('[REDACTED:secret:github-token]');
    }
    await project.run(['serve', '--config', config], { input: `${rawLines(token).join('\n')}\n` });
    {
      await using upstream = await openTestClient(project, ['run', '--config', config, '--', process.execPath, SERVER]);
      await upstream.call('echo', { text: token });
      await upstream.call('echo', { text: 5, [token]: token }).catch(() => undefined);
    }
    expect(bytes()).not.toContain(part);
    expect((await project.run(['logs', 'search', 'REDACTED', '--json'])).stdout).toContain('REDACTED');
    expect(bytes()).not.toContain(part);

    expect(keptBytes(project)).toContain(ERASABLE);
    await eraseAll(project);
    expect(keptBytes(project)).not.toContain(ERASABLE);
    expect(bytes()).not.toContain(part);
    expect((await project.run(['logs', 'verify'])).code).toBe(0);
  });
});

describe('what breaks lines, moves cursors and turns text around, through every channel', () => {
  const hostile = 'a\u001b[2Jb\u009b31mc\u202ed\u2028e\nf\rg\u2066h';
  const raw = /[\u001b\u009b\u202e\u2028\u2066\r]/;
  let project: Project;
  beforeAll(async () => {
    project = await createProject();
    await using testClient = await openTestClient(project, ['serve']);
    await plantAll(testClient, hostile);
  });
  afterAll(async () => project[Symbol.asyncDispose]());

  it.each<readonly string[]>([['list', '--limit', '1000'], ['tail', '-n', '1000'], ['search', 'hello'], ['stats'], ['verify'], ['archive', '--dry-run']])('devs logs %s shows none of it', async (...args) => {
    const { code, stdout, stderr } = await project.run(['logs', ...args]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(raw);
  });

  it('a list has one line a call', async () => {
    const calls = new Set((await readRecords(project)).flatMap(({ callId }) => (callId === undefined ? [] : [callId])));
    const { stdout } = await project.run(['logs', 'list', '--limit', '1000']);
    expect(stdout.match(/\n/g)).toHaveLength(calls.size);
    expect(calls.size).toBeGreaterThan(10);
  });

  it('an export has one line a record, and is what the log is', async () => {
    const { stdout } = await project.run(['logs', 'export']);
    expect(parseLines(stdout).map(({ seq, leaf }) => ({ seq, leaf }))).toEqual((await readRecords(project)).map(({ seq, leaf }) => ({ seq, leaf })));
    expect(stdout).not.toMatch(/[\u001b\r]/);
    const copy = path.join(project.outside, 'export.jsonl');
    writeFileSync(copy, stdout);
    expect((await project.run(['logs', 'verify', copy])).code).toBe(0);
  });
});
