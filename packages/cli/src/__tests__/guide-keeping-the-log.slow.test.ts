import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConfigCheck, type AgentLogRecord } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { createGuidePlace, readCommands, readGuide, type GuidePlace } from './guide-page.ts';

const PAGE = 'keeping-the-log.md';
const DAY_MS = 86_400_000;

let place: GuidePlace;
beforeAll(async () => {
  place = await createGuidePlace({ 'notes/plan.txt': 'plan\n' });
  const state = path.join(place.root, '..', 'state');
  await mkdir(state, { mode: 0o700 });
  for (const days of [200, 120, 5]) await write(path.join(state, 'agent_logs.db'), daysAgo(days));
});
afterAll(async () => place[Symbol.asyncDispose]());

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

/** A session of two calls, at a time. */
async function write(file: string, timestamp: string): Promise<void> {
  await using logs = openSqliteAgentLogs({ file, durability: 'process', now: () => timestamp });
  for (const name of ['plan.txt', 'todo.txt']) {
    const record = recordOf(name, timestamp);
    await logs.begin(record);
    await logs.append(record);
  }
}

function recordOf(name: string, timestamp: string): AgentLogRecord {
  const call = { toolName: 'read_file', agentId: 'agent-1', turnIndex: 0, phaseId: '', epicId: '', taskId: '', principal: 'local' };
  const output = { content: [{ type: 'text' as const, text: 'plan\n' }] };
  const ending = { status: 'ok' as const, isError: false, code: null, detail: null, output, durationMs: 1, sanitization: { truncated: false } };
  return { id: `${name}-${timestamp}`, ...call, channel: 'stdio', parentCallId: null, input: { path: `notes/${name}` }, receivedInput: null, rule: 'default', timestamp, ...ending };
}

/** Times, hashes and the place of the log differ from run to run. */
function withoutPlace(output: string): string {
  return output
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replaceAll(/[^\s"]*\/archives\b/g, 'ARCHIVES');
}

describe(`docs/guide/${PAGE}`, () => {
  it('shows what its commands print', async () => {
    const commands = await readCommands(PAGE);
    expect(commands.length).toBeGreaterThan(4);
    const shown = commands.map(({ command, output }) => ({ command, output: withoutPlace(output) }));
    const printed: typeof shown = [];
    // One after the other: each works on what the one before it has left.
    for (const command of commands) printed.push({ command: command.command, output: withoutPlace(await place.run(command)) });
    expect(printed).toEqual(shown);
  });

  it('shows configurations that work', async () => {
    const check = createConfigCheck();
    const shown = [...(await readGuide(PAGE)).matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => text);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((text) => !check(JSON.parse(text)).ok)).toEqual([]);
  });
});
