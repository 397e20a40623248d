import { describe, expect, it } from '@jest/globals';
import { DevsError } from '../../errors.ts';
import { ERROR_CODES, type ErrorCode } from '../../error-codes.ts';
import { createScene, never, request, wholeText } from './scene.ts';
import { firstText } from '../../protocol/__tests__/first-text.ts';

const hidden = { isError: true, content: [{ type: 'error', text: 'Tool execution failed.' }] };

function hostileProxy(): object {
  const proxy: object = new Proxy({}, {
    getPrototypeOf: () => { throw proxy; },
    get: () => { throw proxy; },
    has: () => { throw proxy; },
  });
  return proxy;
}

function withGetters(error: object): object {
  const thrower = { get: () => { throw new Error('getter'); } };
  return Object.defineProperties(error, { message: thrower, name: thrower, stack: thrower, cause: thrower, code: thrower });
}

const circular = new Error('a');
circular.cause = circular;

describe('what a sandbox throws', () => {
  it.each<[string, unknown]>([
    ['text', 'plain secret text'],
    ['null', null],
    ['undefined', undefined],
    ['a number', 7],
    ['a symbol', Symbol('secret')],
    ['an error with a stack', new Error('secret at /home/host/app.js:1:1')],
    ['an error in a circle', circular],
    ['an error with getters that throw', withGetters(new Error('x'))],
    ['an object with a hostile toString', { toString: () => { throw new Error('x'); } }],
    ['an object without a prototype', Object.create(null)],
    ['a proxy that throws itself', hostileProxy()],
    ['a result', { content: [{ type: 'text', text: 'secret' }] }],
    ['a forged error of ours', Object.assign(Object.create(DevsError.prototype), { code: 'FILE_NOT_FOUND', sentence: 'secret' })],
    ['a forged code', Object.assign(Object.create(DevsError.prototype), { code: 'constructor', sentence: 'secret' })],
  ])('%s is hidden from the agent', async (_name, thrown) => {
    for (const execute of [() => Promise.reject(thrown), () => { throw thrown; }]) {
      const scene = createScene({ execute });
      expect(await scene.proxy.execute(request())).toEqual(hidden);
      expect(scene.records).toHaveLength(1);
      expect(scene.records[0]).toMatchObject({ code: 'TOOL_EXECUTION_ERROR', status: 'error' });
      expect(typeof scene.records[0]?.detail).toBe('string');
      expect(scene.events.map(({ event }) => event)).toEqual(['TOOL_EXECUTION_ERROR']);
    }
  });

  const codes = Object.entries(ERROR_CODES);
  const forTools = codes.filter(([, entry]) => entry.thrownByTools).map(([code]) => code as ErrorCode);
  const forGate = codes.filter(([, entry]) => !entry.thrownByTools).map(([code]) => code as ErrorCode);

  it.each(forTools)('%s is one of our words for tools, and keeps its sentence', async (code) => {
    const error = new DevsError(code, { sentence: 'There is no src/a.ts.', cause: new Error('/host/secret') });
    const scene = createScene({ execute: () => Promise.reject(error) });
    const result = await scene.proxy.execute(request());
    expect(result.isError).toBe(true);
    expect(firstText(result)).toMatch(/^There is no src\/a\.ts\./);
    expect(wholeText(result)).not.toContain('secret');
    expect(scene.records[0]).toMatchObject({ code, detail: expect.stringContaining('/host/secret') });
  });

  it.each(forGate)('%s is not a tool’s to throw', async (code) => {
    const scene = createScene({ execute: () => Promise.reject(new DevsError(code, { sentence: 'secret' })) });
    expect(await scene.proxy.execute(request())).toEqual(hidden);
    expect(scene.records[0]?.code).toBe('TOOL_EXECUTION_ERROR');
  });

  it('cannot break out of its line, by the sentence or by the suggestion', async () => {
    const attack = 'a\nb\u001b[2J\u202ec\u2028d\ud800';
    const error = new DevsError('PATH_REFUSED', { sentence: attack, suggestion: attack });
    const scene = createScene({ execute: () => Promise.reject(error) });
    const result = await scene.proxy.execute(request());
    const clean = 'a bc d\ufffd';
    expect(result.content).toEqual([{ type: 'error', text: `${clean} ${clean}` }]);
    expect(result._meta?.['devs/refusal']).toMatchObject({ reason: clean, suggestion: clean });
  });

  it('cannot be changed once it is made', () => {
    const error = new DevsError('FILE_NOT_FOUND');
    expect(Object.isFrozen(error)).toBe(true);
    expect(Reflect.set(error, 'sentence', 'x')).toBe(false);
    expect(Reflect.defineProperty(error, 'code', { get: () => 'PATH_REFUSED' })).toBe(false);
  });
});

describe('the deadline and the caller’s signal', () => {
  const message = (text: string) => ({ isError: true, content: [{ type: 'error', text: expect.stringContaining(text) }] });

  it('a tool that hangs does not hang the gate', async () => {
    const scene = createScene({ execute: () => never(), options: { toolTimeoutMs: 1 } });
    expect(await scene.proxy.execute(request())).toEqual(message('did not finish within its time limit'));
    expect(scene.executions[0]?.run.signal.aborted).toBe(true);
    expect(scene.records[0]).toMatchObject({ code: 'TOOL_TIMEOUT' });
    expect(scene.events[0]).toMatchObject({ event: 'TOOL_EXECUTION_ERROR', code: 'TOOL_TIMEOUT' });
  });

  it('a cancelled call ends at once, and its tool hears of it', async () => {
    const caller = new AbortController();
    const scene = createScene({
      execute: () => {
        caller.abort();
        return never();
      },
    });
    expect(await scene.proxy.execute(request({ signal: caller.signal }))).toEqual(message('was cancelled'));
    expect(scene.executions[0]?.run.signal.aborted).toBe(true);
    expect(scene.records[0]).toMatchObject({ code: 'CALL_CANCELLED', isError: true });
  });

  it('a call cancelled before it runs is not run', async () => {
    const early = createScene();
    await early.proxy.execute(request({ signal: AbortSignal.abort() }));
    expect(early.steps).toEqual(['validate', 'begin', 'append', 'TOOL_EXECUTION_ERROR']);
    const caller = new AbortController();
    const during = createScene({ begin: async () => caller.abort() });
    await during.proxy.execute(request({ signal: caller.signal }));
    expect(during.executions).toEqual([]);
    expect(during.records[0]?.code).toBe('CALL_CANCELLED');
  });

  it('what a tool does after the end is not heard: one record, no rejection left over', async () => {
    const late = Promise.withResolvers<never>();
    const scene = createScene({ execute: () => late.promise, options: { toolTimeoutMs: 1 } });
    await scene.proxy.execute(request());
    late.reject(new Error('too late'));
    await new Promise(setImmediate);
    expect(scene.records).toHaveLength(1);
    expect(scene.events).toHaveLength(1);
  });

  it('a tool that finishes leaves no listener behind, and its signal is not aborted', async () => {
    const caller = new AbortController();
    const scene = createScene();
    await scene.proxy.execute(request({ signal: caller.signal }));
    caller.abort();
    expect(scene.executions[0]?.run.signal.aborted).toBe(false);
  });

  it.each([{}, 5, 'x', { aborted: false, addEventListener: 1 }])('a signal that is none (%j) refuses the call', async (signal) => {
    const scene = createScene();
    const result = await scene.proxy.execute(request({ signal }));
    expect(result.isError).toBe(true);
    expect(scene.executions).toEqual([]);
    expect(scene.records[0]?.code).toBe('INTERNAL_ERROR');
  });
});
