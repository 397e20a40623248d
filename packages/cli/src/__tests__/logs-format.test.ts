import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { toRecordLine } from '../commands/logs-format.ts';
import { createProject, type Project } from './devs.ts';

let project: Project;
beforeAll(async () => {
  project = await createProject();
  await project.run(['tools']);
  await using logs = openSqliteAgentLogs({ file: path.join(project.state, 'agent_logs.db'), durability: 'process' });
  for (const [number, toolName] of NAMES.entries()) await logs.append(recordOf(number, toolName));
});
afterAll(async () => project[Symbol.asyncDispose]());

/** Names that a caller asked for. */
const NAMES = ['total', 'read_file           cli-1#0  3.0 ms', '"read_file"', 'read_file\u001b[2K', 'plain'];

function recordOf(number: number, toolName: string): AgentLogRecord {
  const names = { toolName, agentId: 'a  b', phaseId: '', epicId: '', taskId: '', turnIndex: 0, principal: 'local', channel: 'stdio' } as const;
  const ended = { status: 'denied', isError: true, code: 'UNKNOWN_TOOL', detail: null, durationMs: 0, sanitization: { truncated: false } } as const;
  const asked = { input: {}, receivedInput: null, rule: '', parentCallId: null, timestamp: '2026-01-01T00:00:00.000Z' };
  return { id: `call-000${number}`, ...names, ...asked, ...ended, output: { content: [{ type: 'text', text: 'no' }] } };
}

describe('a name that a caller has chosen', () => {
  it('stands in quotes where it would look like columns, and steers no terminal', async () => {
    const { stdout } = await project.run(['logs', 'list']);
    const lines = stdout.trimEnd().split('\n').reverse();
    expect(lines.map((line) => line.split(/ {2,}/)[3]).slice(2)).toEqual(['"\\"read_file\\""', 'read_file\\u{1b}[2K', 'plain']);
    expect(lines[1]).toContain('  "read_file           cli-1#0  3.0 ms"  "a  b"#0  ');
    expect((await project.run(['logs', 'tail'])).stdout).toContain('  toolName="read_file           cli-1#0  3.0 ms"  agentId="a  b"  ');
  });

  it('is not taken for the sum of all, which stands apart', async () => {
    const lines = (await project.run(['logs', 'stats'])).stdout.trimEnd().split('\n');
    const totals = lines.flatMap((line, index) => (line.startsWith('total ') ? [[index, line.split(/ {2,}/)[1]]] : []));
    expect(totals).toEqual([[expect.any(Number), '1'], [lines.length - 1, '5']]);
    expect(lines.at(-2)).toBe('');
  });
});

describe('a record in a line', () => {
  it('quotes what has blanks in it', () => {
    const header = { timestamp: '2026-01-01T00:00:00.000Z', kind: 'audit.opened', version: '1  mode=batch', durability: 'power' };
    const line = toRecordLine({ seq: 1, leaf: '', header, payload: null, isErased: false });
    expect(line).toContain('  version="1  mode=batch"  durability=power');
  });
});

it('says of a refusal with a code of another devs that it was one', async () => {
  await using logs = openSqliteAgentLogs({ file: path.join(project.state, 'agent_logs.db'), durability: 'process' });
  const code = 'NEWER_CODE' as 'UNKNOWN_TOOL';
  await logs.append({ ...recordOf(7, 'plain'), code });
  await logs.begin({ ...recordOf(8, 'plain') });
  await logs.append({ ...recordOf(8, 'plain'), status: 'withheld', code });
  for (const [id, words] of [['call-0007', 'was refused, and the log gives no reason'], ['call-0008', 'ran, and its answer was withheld']] as const) {
    const { stdout } = await project.run(['logs', 'why', id]);
    expect(stdout).toContain(words);
    expect(stdout).not.toContain('was not refused');
  }
});
