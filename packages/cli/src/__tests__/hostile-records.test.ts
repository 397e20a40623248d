import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { createProject, parseLines, type Project } from './devs.ts';

/** What moves a cursor, hides a line, or turns text around. */
const HOSTILE = 'a\u001b[2Jb\u009b31mc\u202ed\u2028e\nf\rg';
const RAW = /[\u001b\u009b\u202e\u2028\r]/;

let project: Project;
beforeAll(async () => {
  project = await createProject();
});
afterAll(async () => project[Symbol.asyncDispose]());

/** A record that the gate would not write: whoever can write the file can put anything into it. */
function hostileRecord(): AgentLogRecord {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    toolName: HOSTILE,
    agentId: HOSTILE,
    turnIndex: 1,
    phaseId: HOSTILE,
    epicId: '',
    taskId: '',
    principal: HOSTILE,
    channel: 'stdio',
    parentCallId: null,
    input: { path: HOSTILE },
    receivedInput: null,
    rule: HOSTILE,
    timestamp: '2026-01-01T00:00:00.000Z',
    status: 'withheld',
    isError: true,
    code: 'OUTPUT_WITHHELD',
    detail: HOSTILE,
    output: { content: [{ type: 'text', text: HOSTILE }], isError: true },
    durationMs: 1,
    sanitization: { truncated: false },
  };
}

describe('a record with hostile text in every field', () => {
  beforeAll(async () => {
    await project.run(['tools']);
    await using logs = openSqliteAgentLogs({ file: path.join(project.state, 'agent_logs.db') });
    await logs.append(hostileRecord());
  });

  it('is one line of a list', async () => {
    const { stdout } = await project.run(['logs', 'list']);
    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(stdout).not.toMatch(RAW);
  });

  it('is shown with its escapes spelled out', async () => {
    const { stdout } = await project.run(['logs', 'show', '00000000-0000']);
    expect(stdout).toContain('\\u{202e}');
    expect(stdout).not.toMatch(RAW);
  });

  it.each<[string, readonly string[], number]>([
    ['two lines of a search', ['logs', 'search', '2j*'], 2],
    ['one line of a search as JSON', ['logs', 'search', '2j*', '--json'], 1],
    ['one line of statistics, between the title and, behind an empty line, the sum', ['logs', 'stats'], 4],
    ['statistics as JSON', ['logs', 'stats', '--json'], 1],
    ['one line of a tail', ['logs', 'tail', '-n', '1'], 1],
    ['one line of a tail as JSON', ['logs', 'tail', '-n', '1', '--json'], 1],
    ['six lines of why', ['logs', 'why', '00000000-0000'], 6],
    ['why as JSON', ['logs', 'why', '00000000-0000', '--json'], 1],
  ])('is %s', async (_name, args, lines) => {
    const { code, stdout, stderr } = await project.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/\n/g)).toHaveLength(lines);
    expect(stdout).not.toMatch(RAW);
  });

  it('is one JSON object, exact, on one line', async () => {
    const { stdout } = await project.run(['logs', 'list', '--json']);
    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(stdout).not.toMatch(RAW);
    expect(parseLines(stdout)).toMatchObject([{ toolName: HOSTILE, input: { path: HOSTILE }, detail: HOSTILE }]);
  });
});

describe('a record whose header somebody has changed in the file', () => {
  const hostile = '\\u001b[2J\\u202e\\u2066\\r\\n';
  const changes = [
    ['its time', '2026-01-01T00:00:00.000Z'],
    ['its id', '00000000-0000-4000-8000-000000000001'],
    ['its kind', 'call.finished'],
    ['its code', 'OUTPUT_WITHHELD'],
    ['all that makes it JSON', '{"v":1,"seq":2,"prev":"'],
  ] as const;
  const commands = [
    ['logs', 'list'],
    ['logs', 'show', '00000000-0000'],
    ['logs', 'why', '00000000-0000'],
    ['logs', 'tail'],
    ['logs', 'search', '2j*'],
    ['logs', 'stats'],
  ] as const;

  it.each(changes)('%s: no command breaks, and none lets it through', async (_name, text) => {
    await using other = await createProject();
    await other.run(['tools']);
    const log = path.join(other.state, 'agent_logs.db');
    {
      await using logs = openSqliteAgentLogs({ file: log });
      await logs.append(hostileRecord());
    }
    const bytes = readFileSync(log, 'latin1');
    const changed = bytes.replaceAll(`${text}`, hostile.repeat(3).slice(0, text.length - 1).padEnd(text.length, '.'));
    expect(changed).not.toBe(bytes);
    writeFileSync(log, changed, 'latin1');
    for (const command of commands) {
      const { code, stdout, stderr } = await other.run(command);
      expect({ command, isFine: code === 0 || code === 1 }).toEqual({ command, isFine: true });
      expect(stdout + stderr).not.toMatch(RAW);
    }
  });
});

describe('a reader that goes away', () => {
  it('ends the command without a stack', async () => {
    const child = project.start(['logs', 'list', '--json']);
    child.stdout.destroy();
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    const [code]: unknown[] = await once(child, 'close');
    expect({ code, said }).toEqual({ code: 0, said: '' });
  });
});

describe('a state folder inside the root', () => {
  it('is closed to every tool', async () => {
    const state = path.join(project.root, 'state-inside');
    const env = { DEVS_STATE_DIR: state };
    await mkdir(state, { mode: 0o700 });
    const calls = [
      ['read_file', { path: 'state-inside/agent_logs.db' }],
      ['read_file', { path: 'STATE-INSIDE/../state-inside/token' }],
      ['write_file', { path: 'state-inside/token', content: 'guess'.repeat(9) }],
      ['list_directory', { path: 'state-inside' }],
    ] as const;
    for (const [tool, args] of calls) {
      const { code, stdout } = await project.run(['call', tool, JSON.stringify(args), '--json'], { env });
      expect([1, 2]).toContain(code);
      expect(JSON.parse(stdout)).toMatchObject({ isError: true });
    }
    const listed = await project.run(['call', 'list_directory', '{"path":".","recursive":true}'], { env });
    expect(listed.stdout).not.toContain('agent_logs');
  });
});
