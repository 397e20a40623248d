import { describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '../../logging/structured-logger.ts';
import { answer, CALL_ID, codeOf, createScene, never, request, wholeText } from './scene.ts';
import { firstText } from '../../protocol/__tests__/first-text.ts';

function fails(): never {
  throw new Error('EROFS: /var/lib/host-path/agent_logs.db');
}

const failures: [string, () => Promise<void>][] = [
  ['throws', fails],
  ['rejects', () => Promise.reject(new Error('EROFS: /var/lib/host-path/agent_logs.db'))],
  ['rejects with nothing', () => Promise.reject(undefined)],
  ['hangs', () => never()],
];
const options = { logTimeoutMs: 1 };

describe('a log that cannot begin', () => {
  it.each(failures)('that %s: the tool is not run', async (_name, begin) => {
    const scene = createScene({ begin, options });
    const result = await scene.proxy.execute(request());
    expect(scene.executions).toEqual([]);
    expect(scene.steps).toEqual(['validate', 'begin', 'append', 'TOOL_CALL_REFUSED']);
    expect(codeOf(result)).toBe('AUDIT_UNAVAILABLE');
    expect(result._meta?.['devs/refusal']).toMatchObject({ retryAllowed: true });
    expect(wholeText(result)).not.toContain('host-path');
  });

  it('does not run a tool later, when the log answers after all', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const scene = createScene({ begin: () => promise, options });
    await scene.proxy.execute(request());
    resolve();
    await promise;
    await new Promise(setImmediate);
    expect(scene.executions).toEqual([]);
  });
});

describe('a log that cannot append', () => {
  it.each(failures)('that %s: the answer is withheld, and says so', async (_name, append) => {
    const scene = createScene({ append, execute: async () => answer('the raw secret'), options });
    const result = await scene.proxy.execute(request());
    expect(scene.records).toHaveLength(1);
    expect(codeOf(result)).toBe('ANSWER_WITHHELD');
    expect(result.isError).toBe(true);
    expect(result._meta?.['devs/refusal']).toMatchObject({ retryAllowed: false, callId: CALL_ID });
    expect(firstText(result)).toContain(`Call id: ${CALL_ID}.`);
    expect(wholeText(result)).not.toMatch(/raw secret|host-path/);
    expect(scene.events).toHaveLength(1);
    expect(scene.events[0]).toMatchObject({ event: 'OUTPUT_WITHHELD', code: 'ANSWER_WITHHELD', isError: true });
  });

  it.each(failures)('that %s: a tool’s failure is withheld too', async (_name, append) => {
    const scene = createScene({ append, execute: () => Promise.reject(new Error('x')), options });
    expect(codeOf(await scene.proxy.execute(request()))).toBe('ANSWER_WITHHELD');
  });

  it.each(failures)('that %s: a refusal says that nothing ran', async (_name, append) => {
    const scene = createScene({ append, options });
    const result = await scene.proxy.execute(request({ toolName: 'x' }));
    expect(codeOf(result)).toBe('AUDIT_UNAVAILABLE');
    expect(scene.events.map(({ event }) => event)).toEqual(['TOOL_CALL_REFUSED']);
  });

  it('withholds from an observation as well', async () => {
    const scene = createScene({ append: fails, execute: async () => answer('the raw secret') });
    const envelope = await scene.proxy.observe(request());
    expect(envelope.observation.status).toBe('error');
    expect(wholeText(envelope)).not.toContain('raw secret');
  });

  it('tells the operator why', async () => {
    const error = jest.fn();
    const scene = createScene({ append: fails, options: { logger: { ...silentLogger, error } } });
    await scene.proxy.execute(request());
    expect(error.mock.calls).toEqual([
      ['AUDIT_WRITE_FAILED', { callId: CALL_ID, tool_name: 'read_file', error: expect.stringContaining('EROFS') }],
    ]);
  });
});

describe('a log without intents', () => {
  it('is valid: the tool runs, and its record is appended', async () => {
    const scene = createScene({ begin: null });
    expect(await scene.proxy.execute(request())).toEqual(answer('contents'));
    expect(scene.steps).toEqual(['validate', 'execute', 'append', 'TOOL_EXECUTED']);
  });
});

describe('the answer waits for the log', () => {
  it('is not given before append has resolved', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const scene = createScene({ append: () => promise });
    let isAnswered = false;
    const pending = scene.proxy.execute(request()).then(() => (isAnswered = true));
    await new Promise(setImmediate);
    expect([scene.records.length, isAnswered]).toEqual([1, false]);
    resolve();
    await pending;
    expect(isAnswered).toBe(true);
  });

  it('nor is the tool run before begin has resolved', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const scene = createScene({ begin: () => promise });
    const pending = scene.proxy.execute(request());
    await new Promise(setImmediate);
    expect(scene.executions).toEqual([]);
    resolve();
    await pending;
    expect(scene.executions).toHaveLength(1);
  });
});

describe('a tap or a logger that fails changes nothing', () => {
  it.each<[string, () => void | Promise<void>, string[]]>([
    ['throws', fails, ['AUDIT_LOGGER_FAILED', 'AUDIT_LOGGER_FAILED']],
    ['rejects', () => Promise.reject(new Error('x')), ['AUDIT_LOGGER_FAILED', 'AUDIT_LOGGER_FAILED']],
    ['hangs', () => never(), []],
    ['gives a hostile thenable', () => Object.defineProperty({}, 'then', { get: fails }) as Promise<void>, ['AUDIT_LOGGER_FAILED', 'AUDIT_LOGGER_FAILED']],
  ])('a tap that %s', async (_name, tap, reported) => {
    const error = jest.fn();
    const scene = createScene({ tap, options: { logger: { ...silentLogger, error } } });
    expect(await scene.proxy.execute(request())).toEqual(answer('contents'));
    expect(codeOf(await scene.proxy.execute(request({ args: {} })))).toBe('TOOL_ARG_VALIDATION_FAILURE');
    await new Promise(setImmediate);
    expect(scene.records.map(({ status }) => status)).toEqual(['ok', 'denied']);
    expect(error.mock.calls.map(([event]) => event)).toEqual(reported);
  });

  it('a logger that throws, on every path that logs', async () => {
    const logger = { debug: fails, info: fails, warn: fails, error: fails };
    const scene = createScene({ tap: fails, append: fails, execute: async () => Buffer.alloc(10_485_761, 'a'), options: { logger } });
    expect(codeOf(await scene.proxy.execute(request()))).toBe('ANSWER_WITHHELD');
  });
});

describe('a log that takes too long', () => {
  it.each([
    ['begin', { begin: () => never<void>() }],
    ['append', { append: () => never<void>() }],
  ])('is told that nobody waits for it any more: %s', async (_name, setting) => {
    const abandoned: string[] = [];
    const scene = createScene({ ...setting, abandon: (callId) => abandoned.push(callId), options });
    await scene.proxy.execute(request());
    expect(new Set(abandoned)).toEqual(new Set([CALL_ID]));
  });

  it('is told so of nothing that it has written, or refused', async () => {
    const abandoned: string[] = [];
    for (const append of [async () => undefined, async () => Promise.reject(new Error('full'))]) {
      await createScene({ append, abandon: (callId) => abandoned.push(callId), options: {} }).proxy.execute(request());
    }
    expect(abandoned).toEqual([]);
  });
});
