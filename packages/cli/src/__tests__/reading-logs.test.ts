import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { createProject, parseLines, type Project } from './devs.ts';

let project: Project;
beforeAll(async () => {
  project = await createProject();
  await project.run(['tools']);
});
afterAll(async () => project[Symbol.asyncDispose]());

function recordOf(number: number, change: Partial<AgentLogRecord>): AgentLogRecord {
  return {
    id: `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`,
    toolName: 'read_file',
    agentId: 'agent-1',
    turnIndex: 0,
    phaseId: 'phase-1',
    epicId: 'epic-1',
    taskId: '',
    principal: 'local',
    channel: 'stdio',
    parentCallId: null,
    input: { path: 'README.md' },
    receivedInput: null,
    rule: 'default',
    timestamp: `2026-01-0${number}T00:00:00.000Z`,
    status: 'ok',
    isError: false,
    code: null,
    detail: null,
    output: { content: [{ type: 'text', text: `answer number ${number}` }] },
    durationMs: number,
    sanitization: { truncated: false },
    ...change,
  };
}

function openLog() {
  return openSqliteAgentLogs({ file: path.join(project.state, 'agent_logs.db'), durability: 'process' });
}

/** Numbers of the calls that a command prints as JSON lines. */
async function numbersOf(...args: readonly string[]): Promise<readonly number[]> {
  const { stdout } = await project.run(['logs', ...args, '--json']);
  return parseLines(stdout).map(({ id }) => Number(String(id).slice(0, 8)));
}

beforeAll(async () => {
  await using logs = openLog();
  await logs.append(recordOf(1, {}));
  await logs.append(recordOf(2, { phaseId: 'phase-2', toolName: 'write_file' }));
  await logs.append(recordOf(3, { epicId: 'epic-2', status: 'error', isError: true, code: 'FILE_NOT_FOUND' }));
  await logs.append(recordOf(4, { output: { content: [{ type: 'text', text: 'number answer' }] } }));
});

describe('devs logs list', () => {
  it.each<[readonly string[], readonly number[]]>([
    [[], [4, 3, 2, 1]],
    [['--phase', 'phase-2'], [2]],
    [['--epic', 'epic-2'], [3]],
    [['--status', 'error'], [3]],
    [['--tool', 'write_file', '--agent', 'agent-1'], [2]],
    [['--since', '2026-01-03'], [4, 3]],
    [['--until', '2026-01-02T00:00:00Z'], [1]],
    [['--since', '2026-01-02T02:00:00+02:00', '--until', '2026-01-04'], [3, 2]],
    [['--since', '1h'], []],
    [['--limit', '2'], [4, 3]],
  ])('%j gives %j', async (args, numbers) => {
    expect(await numbersOf('list', ...args)).toEqual(numbers);
  });

  it('says where the next page begins, apart from the data', async () => {
    const first = await project.run(['logs', 'list', '--limit', '2']);
    const [, before = ''] = /--before (\d+)/.exec(first.stderr) ?? [];
    expect(await numbersOf('list', '--limit', '3', '--before', before)).toEqual([2, 1]);
    expect((await project.run(['logs', 'list'])).stderr).toBe('');
    expect((await project.run(['logs', 'list', '--limit', '2', '--json'])).stderr).toBe('');
  });

  it.each([['--since', 'yesterday'], ['--since', '2026-02-30'], ['--until', '5'], ['--until', '-1'], ['--before', '0'], ['--before', 'x'], ['--status', 'okay']])(
    'refuses %s %s',
    async (option, value) => {
      expect(await project.run(['logs', 'list', option, value])).toMatchObject({ code: 64, stdout: '' });
    },
  );
});

describe('devs logs show', () => {
  it('has the receipt and the records of the call', async () => {
    const { stdout } = await project.run(['logs', 'show', '00000004', '--json']);
    const call: unknown = JSON.parse(stdout);
    expect(call).toMatchObject({ receipt: { leaf: expect.stringMatching(/^[0-9a-f]{64}$/) }, isErased: false, records: [{ kind: 'call.finished' }] });
    expect((await project.run(['logs', 'show', '00000004'])).stdout).toContain('Records:\n');
  });
});

describe('devs logs search', () => {
  it.each<[readonly string[], readonly number[]]>([
    [['answer'], [4, 3, 2, 1]],
    [['answer', 'number', '2'], [2]],
    [['number answer'], [4]],
    [['answ*', '--tool', 'write_file'], [2]],
    [['answer', '--limit', '1'], [4]],
  ])('%j gives %j', async (args, numbers) => {
    expect(await numbersOf('search', ...args)).toEqual(numbers);
  });

  it('shows what was found, says where the next page begins, and ends with 1 when nothing is', async () => {
    expect((await project.run(['logs', 'search', 'answer', '--limit', '1'])).stderr).toMatch(/^There may be more: --before \d+\n$/);
    expect((await project.run(['logs', 'search', 'readme'])).stdout).toContain('    [README].md\n');
    expect(await project.run(['logs', 'search', 'nowhere'])).toMatchObject({ code: 1, stdout: '', stderr: 'No calls.\n' });
    expect(await project.run(['logs', 'search', '--', '--'])).toMatchObject({ code: 64 });
  });
});

describe('devs logs stats', () => {
  it('has a line for each tool and their sum', async () => {
    const { stdout } = await project.run(['logs', 'stats']);
    const cells = stdout.trim().split('\n').map((line) => line.split(/ {2,}/));
    expect(cells[0]).toEqual(['tool', 'calls', 'ok', 'errors', 'refusals', 'withheld', 'unknown', 'p50', 'p95', 'p99']);
    expect(cells[1]).toEqual(['read_file', '3', '2', '1', '0', '0', '0', '3.0 ms', '4.0 ms', '4.0 ms']);
    expect(cells.at(-1)?.slice(0, 3)).toEqual(['total', '4', '3']);
    expect(JSON.parse((await project.run(['logs', 'stats', '--json', '--since', '2026-01-04'])).stdout)).toMatchObject({ total: { calls: 1 } });
  });
});

describe('devs logs tail', () => {
  it('gives the last records of every kind, the newest last', async () => {
    const { stdout } = await project.run(['logs', 'tail', '-n', '3', '--json']);
    const records = parseLines(stdout);
    expect(records.map(({ header }) => header)).toMatchObject([{ kind: 'call.finished' }, { kind: 'call.finished' }, { kind: 'audit.closed' }]);
  });

  it('goes on with those that come, and ends with 0 when it is stopped', async () => {
    const child = project.start(['logs', 'tail', '--follow', '-n', '1']);
    let said = '';
    const until = async (text: string) => {
      while (!said.includes(text)) said += String((await once(child.stdout, 'data'))[0]);
    };
    await until('audit.closed');
    {
      await using logs = openLog();
      await logs.append(recordOf(5, {}));
      await until('callId=00000005');
    }
    await until('audit.closed');
    child.kill('SIGINT');
    const [code]: unknown[] = await once(child, 'close');
    expect(code).toBe(0);
  });
});

describe('devs logs why', () => {
  async function whyOf(tool: string, args: object): Promise<string> {
    await project.run(['call', tool, JSON.stringify(args)]);
    const [newest] = parseLines((await project.run(['logs', 'list', '--limit', '1', '--json'])).stdout);
    return (await project.run(['logs', 'why', String(newest?.['id'])])).stdout;
  }

  it.each<[string, string, object, readonly string[]]>([
    ['an unknown tool', 'nope', {}, ['stage   find', 'code    UNKNOWN_TOOL', 'by      tool: nope', 'by      principal: ']],
    ['an argument', 'read_file', { path: 'a', limit: 'many' }, ['stage   validate', 'argument /limit: wanted integer, got string']],
    ['a missing one', 'read_file', {}, ['stage   validate', 'wanted the property "path"']],
    ['a path', 'read_file', { path: '../outside/secret.txt' }, ['stage   paths', 'code    PATH_OUTSIDE_ROOT', 'argument /path: ../outside/secret.txt']],
  ])('names what decided: %s', async (_name, tool, args, parts) => {
    const text = await whyOf(tool, args);
    for (const part of parts) expect(text).toContain(part);
  });

  it('says of a call that was not refused that it was not', async () => {
    expect(await whyOf('read_file', { path: 'hello.txt' })).toContain('was not refused: the tool returned a result.');
    expect(await project.run(['logs', 'why', '99999999'])).toMatchObject({ code: 1 });
  });

  it('says what failed where the log could not be written', async () => {
    {
      await using logs = openLog();
      const refused = { status: 'denied', isError: true, input: null } as const;
      await logs.append(recordOf(6, { ...refused, code: 'AUDIT_UNAVAILABLE', detail: 'AUDIT_UNAVAILABLE: the disk of the call log is full' }));
    }
    expect((await project.run(['logs', 'why', '00000006'])).stdout).toContain('by      detail: AUDIT_UNAVAILABLE: the disk of the call log is full');
  });
});
