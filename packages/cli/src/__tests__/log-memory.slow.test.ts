import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openSqliteAgentLogs } from '@devs/storage';
import { createProject, type Project } from './devs.ts';

const CALLS = 100;
/** Of one input or output: as much as the log keeps of it. One character beyond Latin-1 makes each of it two bytes in memory. */
const UNITS = 260_000;
/** MiB; Node's own choice on a small machine is about 250. All the calls at once take twice as much. */
const HEAP = 128;

let project: Project;
beforeAll(async () => {
  project = await createProject();
  await project.run(['tools']);
  await using logs = openSqliteAgentLogs({ file: path.join(project.state, 'agent_logs.db'), durability: 'process' });
  const text = `needle \u0142 ${'word '.repeat(UNITS / 5)}`.slice(0, UNITS);
  const names = { toolName: 'read_file', agentId: 'agent-1', phaseId: '', epicId: '', taskId: '', turnIndex: 0 };
  const more = { principal: 'local', channel: 'stdio', parentCallId: null, receivedInput: null, rule: 'default', timestamp: '2026-01-01T00:00:00.000Z' } as const;
  for (let number = 0; number < CALLS; number += 1) {
    const intent = { id: `call-${String(number).padStart(6, '0')}`, ...names, ...more, input: { text } };
    await logs.begin(intent);
    const output = { content: [{ type: 'text' as const, text }] };
    await logs.append({ ...intent, status: 'ok', isError: false, code: null, detail: null, output, durationMs: 1, sanitization: { truncated: false } });
  }
});
afterAll(async () => project[Symbol.asyncDispose]());

// The search makes the index, which verify then holds against the log.
it.each<[string, readonly string[], number]>([
  ['list', ['list', '--limit', '1000'], CALLS],
  ['tail', ['tail', '-n', '1000'], 2 * CALLS + 2],
  ['search', ['search', 'needle', '--limit', '1000'], 2 * CALLS],
  ['verify', ['verify'], 3],
  ['stats', ['stats'], 4],
])('devs logs %s reads a log of the largest calls in little memory', async (_name, args, lines) => {
  const { code, stdout, stderr } = await project.run(['logs', ...args], { nodeArgs: [`--max-old-space-size=${HEAP}`] });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n').length).toBeGreaterThanOrEqual(lines);
});
