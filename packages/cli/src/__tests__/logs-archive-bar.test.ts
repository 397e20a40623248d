import { mkdirSync } from 'node:fs';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { logsArchiveCommand } from '../commands/logs-archive.ts';
import type { Place } from '../place.ts';
import { createConfigPlace, type ConfigPlace } from './config-place.ts';

const OLD = '2020-01-01T00:00:00.000Z';

let config: ConfigPlace;
beforeAll(async () => {
  config = await createConfigPlace();
  mkdirSync(config.state.path, { mode: 0o700, recursive: true });
  await using logs = openSqliteAgentLogs({ file: config.state.logFile, durability: 'process', now: () => OLD });
  const call = { toolName: 'read_file', agentId: '', turnIndex: 0, phaseId: '', epicId: '', taskId: '', principal: 'local', channel: 'stdio' as const };
  const ending = { status: 'ok' as const, isError: false, code: null, detail: null, output: { content: [] }, durationMs: 1, sanitization: { truncated: false } };
  await logs.append({ id: 'call-0001', ...call, input: {}, receivedInput: null, rule: '', parentCallId: null, timestamp: OLD, ...ending });
});
afterAll(async () => config[Symbol.asyncDispose]());

/** All that was written, to whichever stream, in its order: both end on one screen. */
let screen = '';
beforeEach(() => {
  screen = '';
  const { setInterval: start } = globalThis;
  // No log is too small to be drawn a bar for.
  jest.spyOn(globalThis, 'setInterval').mockImplementation((draw) => {
    draw();
    return start(() => undefined, 2 ** 30);
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

function placeWith(stop: AbortSignal, isTTY = true): Place {
  const sink = () => new Writable({ decodeStrings: false, write: (text, _encoding, done) => (screen += String(text), done()) });
  return {
    root: config.repository,
    state: config.state,
    logKeys: { keyFile: `${config.outside}/key`, headsFolder: `${config.outside}/heads`, notUsed: 'this is a test' },
    config: DEFAULT_CONFIG,
    terminal: { input: process.stdin, output: sink(), status: Object.assign(sink(), { isTTY }) },
    stop,
  };
}

const OPTIONS = { dryRun: true, unsigned: false, json: false };
const BAR = /^\rarchiving \[[#.]{30}\] +\d+ %\r +\r/;

describe('devs logs archive at a terminal', () => {
  it.each([
    [true, '3 records in the log.'],
    [false, 'Erased 1 payload, records 2 to 2,'],
  ])('draws a bar, which is gone before anything is said; dry run: %s', async (dryRun, expected) => {
    expect(await logsArchiveCommand({ ...OPTIONS, dryRun }, placeWith(new AbortController().signal))).toBe(0);
    expect(screen).toMatch(BAR);
    const [said, next = '', ...rest] = screen.replace(BAR, '').split('\n');
    // What was to be told meanwhile has waited: it would have stood behind the bar.
    expect(said).toMatch(/^The call log is not signed: this is a test/);
    expect(next.slice(0, expected.length)).toBe(expected);
    expect(rest.join()).not.toContain('\r');
  });

  it('draws none where nobody looks', async () => {
    expect(await logsArchiveCommand(OPTIONS, placeWith(new AbortController().signal, false))).toBe(0);
    expect(screen).not.toContain('\r');
  });

  it.each([true, false])('ends with 130 where it was stopped before it did anything; dry run: %s', async (dryRun) => {
    const stopped = logsArchiveCommand({ ...OPTIONS, dryRun, payloadDays: 1, keepDays: 1, unsigned: true }, placeWith(AbortSignal.abort()));
    await expect(stopped).rejects.toMatchObject({ exitCode: 130, message: 'stopped; nothing was erased, and no record was moved.' });
  });
});
