import { readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { answers, fails, startFakeApi, text, toolUse, type Turn } from '../../../agent/src/__tests__/fake-api.ts';
import { createProject, parseLines, type Project } from './devs.ts';
import { keptBytes } from './test-client.ts';

const KEY = ['sk', 'test', 'k'.repeat(20)].join('-');

async function createShop(): Promise<Project> {
  const project = await createProject();
  const files = { 'README.md': 'A shop. Prices are in euros.\n', 'price.txt': 'price: 10\n', 'tax.txt': 'tax: 19 %\n' };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(project.root, name), content);
  return project;
}

/** Reads three files, edits one, is refused once and repairs itself, finishes. */
const TASK = 'Raise the price to 12';
const SCRIPT: readonly Turn[] = [
  answers(
    [
      text('I look at the files first.'),
      toolUse('t1', 'read_file', { path: 'README.md' }),
      toolUse('t2', 'read_file', { path: 'price.txt' }),
      toolUse('t3', 'read_file', { path: 'tax.txt' }),
    ],
    'tool_use',
  ),
  answers([toolUse('t4', 'surgical_edit', { file: 'price.txt', oldText: '10', newText: '12' })], 'tool_use'),
  answers([toolUse('t5', 'surgical_edit', { path: 'price.txt', oldText: '10', newText: '12' })], 'tool_use'),
  answers([text('The price is 12 euros now.')]),
];

interface AgentOptions {
  readonly args?: readonly string[];
  readonly alone?: boolean;
}

async function runAgent(project: Project, turns: readonly Turn[], { args = [TASK], alone = false }: AgentOptions = {}) {
  await using api = await startFakeApi(turns);
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_LOG: 'debug' };
  const ended = await project.run(['agent', ...args], { env, alone });
  return { ...ended, asked: api.asked };
}

describe('devs agent', () => {
  it('reads three files, edits one, is refused once and repairs itself, finishes; every call is in the log', async () => {
    await using project = await createShop();
    const { code, stdout, stderr, asked } = await runAgent(project, SCRIPT, { alone: true });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'I look at the files first.\nThe price is 12 euros now.\n' });
    expect(await readFile(path.join(project.root, 'price.txt'), 'utf8')).toBe('price: 12\n');
    const log = await project.log();
    expect(log.map(({ toolName, turnIndex, status }) => [toolName, turnIndex, status])).toEqual([
      ['read_file', 1, 'ok'],
      ['read_file', 1, 'ok'],
      ['read_file', 1, 'ok'],
      ['surgical_edit', 2, 'denied'],
      ['surgical_edit', 3, 'ok'],
    ]);
    const [, agentId = ''] = /devs agent (agent-[0-9a-f]{8}) /.exec(stderr) ?? [];
    expect(log.map((entry) => [entry['agentId'], entry['channel']])).toEqual(log.map(() => [agentId, 'cli']));
    expect(new Set(log.map(({ id }) => id)).size).toBe(5);
    // The guide shows this run, word for word; which of three reads is done first is not said.
    const guide = readFileSync(path.resolve(process.cwd(), '..', '..', 'docs', 'guide', 'agent.md'), 'utf8');
    const shown = stderr.replaceAll(agentId, 'agent-5f0c9a1e').replace(/(VALIDATION_FAILURE) .*/, '$1 …').trimEnd();
    for (const line of shown.split('\n')) expect(guide).toContain(`\n${line}\n`);
    expect(guide).toContain(`devs agent "${TASK}"`);
    // What came out of the gate is what the model was told to repair.
    expect(JSON.stringify(asked[2]?.body.messages.at(-1))).toMatch(/is_error\\?":true/);
  });

  it('masks the key of its API for the model, and in the log', async () => {
    await using project = await createShop();
    await writeFile(path.join(project.root, 'notes.txt'), `the key is ${KEY}\n`);
    const { code, asked } = await runAgent(project, [answers([toolUse('t1', 'read_file', { path: 'notes.txt' })], 'tool_use'), answers([text('Read.')])]);
    const told = JSON.stringify(asked.map(({ body }) => body));
    expect({ code, isMasked: told.includes('the key is [REDACTED:secret:') }).toEqual({ code: 0, isMasked: true });
    for (const all of [told, keptBytes(project)]) expect(all).not.toContain(KEY);
  });

  it('gives one event a line with --json, the result last', async () => {
    await using project = await createShop();
    const { code, stdout, stderr } = await runAgent(project, SCRIPT, { args: [TASK, '--json'] });
    const events = parseLines(stdout);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(events.at(0)).toMatchObject({ type: 'start', tools: expect.arrayContaining(['read_file', 'surgical_edit']) });
    expect(events.at(-1)).toMatchObject({
      type: 'result',
      status: 'ok',
      stopReason: 'end_turn',
      turns: 4,
      toolCalls: 5,
      text: 'The price is 12 euros now.',
      usage: { inputTokens: 40, outputTokens: 80, cacheCreationInputTokens: 8, cacheReadInputTokens: 12 },
    });
    expect(events.filter(({ type }) => type === 'call').map(({ name, turn }) => [name, turn])).toHaveLength(5);
    expect(stdout.split('\n').filter((line) => line.includes('"result"'))).toHaveLength(1);
  });

  it('stops before the next tool when the log cannot be written any more, and says why', async () => {
    await using project = await createShop();
    const file = path.join(project.state, 'agent_logs.db');
    const [first, second, third, ...rest] = SCRIPT;
    const withoutLog: Turn = async (response, asked) => {
      await rename(file, `${file}.away`);
      await third?.(response, asked);
    };
    const turns = [first, second, withoutLog, ...rest].filter((turn) => turn !== undefined);
    const { code, stderr, asked } = await runAgent(project, turns);
    expect(code).toBe(78);
    expect(stderr).toContain('log_unavailable: The call log cannot be written (its file was moved or replaced), so the tool was not run.');
    expect(asked).toHaveLength(3);
    expect(await readFile(path.join(project.root, 'price.txt'), 'utf8')).toBe('price: 10\n');
  });

  it('shows what steers a terminal as text', async () => {
    await using project = await createShop();
    const escape = '\u001b]0;owned\u0007';
    const { stdout, stderr } = await runAgent(project, [
      answers([text(`hi ${escape}`), toolUse('t1', `read_file${escape}`, { path: escape })], 'tool_use'),
      answers([text('end')]),
    ]);
    for (const shown of [stdout, stderr]) {
      expect(shown).not.toMatch(/[\u0007\u001b]/);
      expect(shown).toContain('owned');
    }
  });

  it('reads the task from standard input', async () => {
    await using project = await createShop();
    await using api = await startFakeApi([answers([text('read')])]);
    const { code } = await project.run(['agent', '-'], { input: 'a task\nof two lines', env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url } });
    expect(code).toBe(0);
    expect(api.asked[0]?.body.messages[0]?.content).toEqual([{ type: 'text', text: 'a task\nof two lines' }]);
  });

  it('takes the model, the limits and the words before the task from the command line', async () => {
    await using project = await createShop();
    const { code, asked } = await runAgent(project, [SCRIPT[0], SCRIPT[1]].filter((turn) => turn !== undefined), {
      args: [TASK, '--model', 'other', '--max-tokens', '77', '--max-turns', '1', '--system', 'be brief'],
    });
    expect(code).toBe(1);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toMatchObject({ model: 'other', max_tokens: 77, system: expect.stringMatching(/^be brief\n\n.*<external-content-ID>.*\[devs \d{8}: /) });
  });
});

describe('how devs agent ends', () => {
  it.each([
    [1, answers([text('no')], 'refusal'), 'refusal: The model refused'],
    [1, answers([text('and th')], 'max_tokens'), 'max_tokens: The answer was cut off'],
    [1, answers([text('x')], 'stop_sequence'), 'stop_sequence (1 answers'],
    [69, fails(400), 'api_error: The API refuses the request (400): as scripted.'],
    [78, fails(401), 'not_authorized: The API does not accept the key (401): as scripted.'],
  ])('%i', async (code, turn, sentence) => {
    await using project = await createShop();
    const ended = await runAgent(project, [turn]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(sentence);
  });

  it.each([
    [78, { ANTHROPIC_API_KEY: '' }, ['a task'], 'ANTHROPIC_API_KEY is not set'],
    [78, { ANTHROPIC_API_KEY: `${KEY}\n` }, ['a task'], 'ANTHROPIC_API_KEY contains a character'],
    [78, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'ftp://x' }, ['a task'], 'ANTHROPIC_BASE_URL is not'],
    [78, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://me:pw@127.0.0.1' }, ['a task'], 'ANTHROPIC_BASE_URL is not'],
    [64, { ANTHROPIC_API_KEY: KEY }, [' '], 'The task is missing'],
    [64, { ANTHROPIC_API_KEY: KEY }, ['a task', '--max-turns', '0'], ''],
    [64, { ANTHROPIC_API_KEY: KEY }, ['a task', '--max-tokens', 'many'], ''],
  ])('%i with %j', async (code, env, args, sentence) => {
    await using project = await createShop();
    const ended = await project.run(['agent', ...args], { env });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
    expect(ended.stderr).toContain(sentence);
    expect(ended.stderr).not.toContain(KEY);
  });

  it('1 when nobody reads its output any more; the next call does not run', async () => {
    await using project = await createShop();
    let stop = () => undefined as unknown;
    const [first, second, third, ...rest] = SCRIPT;
    const unread: Turn = async (response, asked) => {
      stop();
      await third?.(response, asked);
    };
    await using api = await startFakeApi([first, second, unread, ...rest].filter((turn) => turn !== undefined));
    const child = project.start(['agent', TASK, '--json'], { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url });
    child.stdout.resume();
    stop = () => child.stdout.destroy();
    await Promise.all([readAll(child.stderr), once(child, 'exit')]);
    expect(child.exitCode).toBe(1);
    expect(await readFile(path.join(project.root, 'price.txt'), 'utf8')).toBe('price: 10\n');
  });

  it('130 when it is stopped in the middle of an answer', async () => {
    await using project = await createShop();
    let stop = () => undefined as unknown;
    await using api = await startFakeApi([() => void stop()]);
    const child = project.start(['agent', TASK], { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url });
    stop = () => child.kill('SIGINT');
    const [stderr] = await Promise.all([readAll(child.stderr), readAll(child.stdout), once(child, 'close')]);
    expect(child.exitCode).toBe(130);
    expect(stderr).toContain('aborted: Stopped.');
  });
});

it('the key is in no output, no log and no request but its header', async () => {
  await using project = await createShop();
  const leaking = fails(400, {}, `you sent ${KEY}`);
  // In a process of its own: whatever writes, and whereto, is seen.
  const { stdout, stderr, asked } = await runAgent(project, [...SCRIPT.slice(0, 3), leaking], { args: [TASK, '--json'], alone: true });
  const log = JSON.stringify(await project.log());
  for (const place of [stdout, stderr, log, JSON.stringify(asked.map(({ body }) => body))]) expect(place).not.toContain(KEY);
});
