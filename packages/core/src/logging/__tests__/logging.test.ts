import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createPinoLogger, type PinoLoggerOptions } from '../pino-logger.ts';
import { neverThrowing, silentLogger, type StructuredLogger } from '../structured-logger.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;

describe('createPinoLogger', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'devs-core-logging-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** The lines that `write` leaves in a file, read while it is still open: nothing may be waiting in memory. */
  function linesOf(options: PinoLoggerOptions, write: (logger: StructuredLogger) => void): { [key: string]: unknown }[] {
    const file = path.join(folder, 'lines');
    const descriptor = openSync(file, 'w');
    try {
      write(createPinoLogger({ ...options, fd: descriptor }));
      return readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
    } finally {
      closeSync(descriptor);
    }
  }

  function writeAll(logger: StructuredLogger): void {
    for (const level of levels) logger[level](`AT_${level.toUpperCase()}`, { callId: 'x' });
  }

  it('writes JSON lines at once, warnings and errors by default', () => {
    const lines = linesOf({}, writeAll);
    expect(lines.map(({ event, level, callId }) => [event, level, callId])).toEqual([['AT_WARN', 40, 'x'], ['AT_ERROR', 50, 'x']]);
    expect(Object.keys(lines[0] ?? {}).sort()).toEqual(['callId', 'event', 'level', 'time']);
  });

  it.each<[NonNullable<PinoLoggerOptions['level']>, number]>([['debug', 4], ['info', 3], ['error', 1], ['silent', 0]])('at level %s', (level, count) => {
    expect(linesOf({ level }, writeAll)).toHaveLength(count);
    const logger = createPinoLogger({ level, stream: { write: () => true, writableLength: 0 } });
    expect(levels.filter((name) => logger.writes?.(name))).toHaveLength(count);
  });

  it('one line for an event, whatever is in it', () => {
    const lines = linesOf({}, (logger) => logger.warn('A\nB', { text: 'x\n{"level":60}\u2028', event: 'FORGED' }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ event: 'A\nB', text: 'x\n{"level":60}\u2028' });
  });

  it('an event without fields', () => {
    expect(linesOf({}, (logger) => logger.error('ALONE'))).toMatchObject([{ event: 'ALONE', level: 50 }]);
  });

  it('drops and counts lines that nobody reads, instead of waiting', () => {
    const written: string[] = [];
    const stream = { writableLength: 0, write: (text: string) => written.push(text) };
    const logger = createPinoLogger({ stream });
    logger.warn('READ');
    stream.writableLength = 100_000;
    for (let count = 0; count < 3; count += 1) logger.warn('UNREAD');
    stream.writableLength = 0;
    logger.warn('READ_AGAIN');
    logger.warn('AND_AGAIN');
    const lines: unknown[] = written.map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ event: 'READ' }, { event: 'LOG_LINES_DROPPED', dropped: 3 }, { event: 'READ_AGAIN' }, { event: 'AND_AGAIN' }]);
  });

  it('is not taken down by a descriptor that is closed', async () => {
    const descriptor = openSync(path.join(folder, 'closed'), 'w');
    const logger = createPinoLogger({ fd: descriptor });
    closeSync(descriptor);
    expect(() => logger.warn('LOST')).not.toThrow();
    await new Promise(setImmediate);
  });
});

describe('silentLogger', () => {
  it('says nothing and takes everything', () => {
    for (const level of levels) expect(silentLogger[level]('X', { a: 1 })).toBeUndefined();
  });
});

describe('neverThrowing', () => {
  it.each(levels)('%s passes on, and swallows what the logger throws', (level) => {
    const log = jest.fn(() => {
      throw new Error('disk full');
    });
    const logger = neverThrowing({ ...silentLogger, [level]: log });
    expect(() => logger[level]('X', { a: 1 })).not.toThrow();
    expect(log.mock.calls).toEqual([['X', { a: 1 }]]);
  });
});
