import { mkdirSync } from 'node:fs';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_CONFIG, type AgentLogRecord } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { logsExportCommand } from '../commands/logs-export.ts';
import { logsVerifyCommand } from '../commands/logs-verify.ts';
import type { Place } from '../place.ts';
import { showProgress } from '../terminal/progress.ts';
import { createConfigPlace, type ConfigPlace } from './config-place.ts';

/** All that was written, to whichever stream, in its order: both end on one screen. */
let screen = '';
let tick: (() => void) | undefined;
beforeEach(() => {
  screen = '';
  tick = undefined;
});
afterEach(() => {
  jest.restoreAllMocks();
});

function stream({ isTTY }: { readonly isTTY: boolean }): Writable {
  const sink = new Writable({ decodeStrings: false, write: (text, _encoding, done) => (screen += String(text), done()) });
  return isTTY ? Object.assign(sink, { isTTY }) : sink;
}

/** Each timer goes off at once, and then when the test says so: no log is too small to be drawn a bar for. */
function drawAtOnce({ now }: { readonly now: boolean }): void {
  const { setInterval: start } = globalThis;
  jest.spyOn(globalThis, 'setInterval').mockImplementation((draw) => {
    tick = draw;
    if (now) draw();
    return start(() => undefined, 2 ** 30);
  });
}

const BAR = /^\r(verifying|exporting) \[[#.]{30}\] +\d+ %\r +\r/;
/** What a person sees of a line, once all of it was drawn. */
const seen = () => screen.split('\n').map((line) => line.slice(line.lastIndexOf('\r') + 1));

describe('a bar', () => {
  const half = () => ({ done: 1, total: 2 });

  it('is drawn on a terminal, and gone before what comes next', () => {
    drawAtOnce({ now: true });
    const terminal = stream({ isTTY: true });
    {
      using _bar = showProgress('reading', half, terminal);
      tick?.();
    }
    const bar = `reading [${'#'.repeat(15)}${'.'.repeat(15)}]  50 %`;
    expect(screen).toBe(`\r${bar}\r${bar}\r${' '.repeat(bar.length)}\r`);
  });

  it.each([
    ['on no terminal', false, true],
    ['and cleared where it was not there yet', true, false],
  ])('is not drawn %s', (_name, isTTY, now) => {
    drawAtOnce({ now });
    showProgress('reading', half, stream({ isTTY }))[Symbol.dispose]();
    expect(screen).toBe('');
  });
});

const CALL: AgentLogRecord = {
  id: 'call-0001', toolName: 'read_file', agentId: '', phaseId: '', epicId: '', taskId: '', turnIndex: 0, principal: 'local', channel: 'stdio',
  input: {}, receivedInput: null, rule: '', parentCallId: null, timestamp: '2026-01-01T00:00:00.000Z',
  status: 'denied', isError: true, code: 'UNKNOWN_TOOL', detail: null, durationMs: 0, sanitization: { truncated: false },
  output: { content: [{ type: 'text', text: 'no' }] },
};

describe('a command at a terminal', () => {
  let config: ConfigPlace;
  beforeAll(async () => {
    config = await createConfigPlace();
    mkdirSync(config.state.path, { mode: 0o700, recursive: true });
    await using logs = openSqliteAgentLogs({ file: config.state.logFile, durability: 'process' });
    await logs.append(CALL);
  });
  afterAll(async () => config[Symbol.asyncDispose]());

  const place = (output: { readonly isTTY: boolean }): Place => ({
    root: config.repository,
    state: config.state,
    logKeys: { keyFile: `${config.outside}/key`, headsFolder: `${config.outside}/heads`, notUsed: 'this is a test' },
    config: DEFAULT_CONFIG,
    terminal: { input: process.stdin, output: stream(output), status: stream({ isTTY: true }) },
    stop: new AbortController().signal,
  });

  it.each([true, false])('says its verdict on a line of its own, to a terminal or not: %s', async (isTTY) => {
    drawAtOnce({ now: true });
    expect(await logsVerifyCommand([], { json: false }, place({ isTTY }))).toBe(0);
    expect(screen).toMatch(BAR);
    expect(seen()[0]).toBe('intact, not anchored');
  });

  it('says it as JSON on a line of its own', async () => {
    drawAtOnce({ now: true });
    await logsVerifyCommand([], { json: true }, place({ isTTY: true }));
    expect(screen).toMatch(BAR);
    expect(JSON.parse(seen()[0] ?? '')).toMatchObject({ verdict: 'intact' });
  });

  it('exports to it without a bar, which the lines would stand behind, and elsewhere with one', async () => {
    drawAtOnce({ now: true });
    await logsExportCommand({ gzip: false }, place({ isTTY: true }));
    expect(screen).toMatch(/^\{"seq":1,[^\r]*\n\d+ records\.\n$/);
    screen = '';
    await logsExportCommand({ gzip: false, out: `${config.outside}/out.jsonl` }, place({ isTTY: true }));
    expect(screen).toMatch(BAR);
    expect(seen()).toEqual([expect.stringMatching(/^\d+ records\.$/), '']);
  });
});
