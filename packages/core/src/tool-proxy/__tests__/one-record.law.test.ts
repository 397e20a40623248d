import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../__tests__/law-runs.ts';
import { DevsError } from '../../errors.ts';
import { answer, createScene, describeTool, never, request, wholeText, type Scene } from './scene.ts';

const SECRET = 'the raw secret';

/** How a stage goes wrong. */
const failing = fc.constantFrom('throws', 'rejects', 'rejects with nothing', 'throws text', 'hangs', 'throws a proxy');
type Failing = typeof failing extends fc.Arbitrary<infer Way> ? Way : never;

function fail(way: Failing): Promise<never> {
  const proxy: object = new Proxy({}, { getPrototypeOf: () => { throw proxy; } });
  if (way === 'throws') throw new Error(SECRET);
  if (way === 'throws text') throw SECRET;
  if (way === 'throws a proxy') throw proxy;
  if (way === 'rejects') return Promise.reject(new DevsError('POLICY_DENIED', { sentence: SECRET }));
  return way === 'hangs' ? never() : Promise.reject(undefined);
}

const maybe = fc.option(failing, { nil: undefined, freq: 2 });
const anyScript = fc.record({
  ask: fc.constantFrom('well', 'badly', 'elsewhere', 'unknown', 'nobody', 'nothing', 'passthrough'),
  begin: fc.option(maybe, { nil: null, freq: 5 }),
  execute: fc.option(failing, { nil: undefined, freq: 3 }),
  output: fc.constantFrom('good', 'its own error', 'garbage', 'question'),
  append: maybe,
  tap: maybe,
  logger: fc.boolean(),
  observed: fc.boolean(),
});
type Script = typeof anyScript extends fc.Arbitrary<infer Value> ? Value : never;

const requests = {
  well: request(),
  badly: request({ args: { path: 1 } }),
  elsewhere: request({ toolName: 'open_place', args: { path: '/etc/passwd' } }),
  unknown: request({ toolName: 'constructor' }),
  nobody: request({ context: null }),
  nothing: null,
  passthrough: request({ continuation: { inputResponses: SECRET, state: undefined } }),
};
/** Somebody else's, with an argument that is a path: the gate has to look for it before there is a permit. */
const foreign = describeTool({
  authorship: 'foreign',
  definition: { name: 'open_place', inputSchema: { type: 'object', properties: { path: { type: 'string', format: 'devs-path' } } } },
});
const outputs = {
  good: answer(SECRET),
  'its own error': { ...answer(SECRET), isError: true },
  garbage: { content: [{ type: 'text', text: SECRET }, null] },
  question: { ...answer(SECRET), inputRequired: { inputRequests: {}, requestState: 'a' } },
};

function createScripted({ ask, begin, execute, output, append, tap, logger }: Script): Scene {
  const noisy = () => {
    throw new Error('logger');
  };
  return createScene({
    ...(ask === 'elsewhere' && { tools: [foreign] }),
    begin: begin === null ? null : async () => begin === undefined ? undefined : fail(begin),
    execute: () => (execute === undefined ? Promise.resolve(outputs[output]) : fail(execute)),
    append: () => (append === undefined ? Promise.resolve() : fail(append)),
    tap: () => (tap === undefined ? undefined : fail(tap)),
    options: {
      toolTimeoutMs: 1,
      logTimeoutMs: 1,
      ...(logger && { logger: { debug: noisy, info: noisy, warn: noisy, error: noisy } }),
    },
  });
}

/** What must come of it: the code of the attempt, then of the finish. */
function expectedCode({ ask, begin, execute, output }: Script): string | null {
  if (ask === 'nobody' || ask === 'nothing') return 'CONTEXT_REFUSED';
  if (ask === 'passthrough') return 'MESSAGE_REFUSED';
  if (ask === 'unknown') return 'UNKNOWN_TOOL';
  if (ask === 'badly') return 'TOOL_ARG_VALIDATION_FAILURE';
  if (ask === 'elsewhere') return 'PATH_REFUSED';
  if (begin !== null && begin !== undefined) return 'AUDIT_UNAVAILABLE';
  if (execute !== undefined) return execute === 'hangs' ? 'TOOL_TIMEOUT' : 'TOOL_EXECUTION_ERROR';
  return output === 'garbage' || output === 'question' ? 'OUTPUT_WITHHELD' : null;
}

function expectedEvents(script: Script, code: string | null): string[] {
  const told = code === 'TOOL_ARG_VALIDATION_FAILURE' ? [code] : [];
  if (script.append !== undefined) return [...told, hasBegun(script) ? 'OUTPUT_WITHHELD' : 'TOOL_CALL_REFUSED'];
  if (code === null) return ['TOOL_EXECUTED'];
  if (code === 'TOOL_TIMEOUT') return ['TOOL_EXECUTION_ERROR'];
  return [['CONTEXT_REFUSED', 'MESSAGE_REFUSED', 'PATH_REFUSED', 'AUDIT_UNAVAILABLE'].includes(code) ? 'TOOL_CALL_REFUSED' : code];
}

function hasBegun({ ask, begin }: Script): boolean {
  return ask === 'well' && (begin === null || begin === undefined);
}

async function judge(script: Script): Promise<void> {
  const scene = createScripted(script);
  const asked = requests[script.ask] as ReturnType<typeof request>;
  const outcome = script.observed ? await scene.proxy.observe(asked) : await scene.proxy.execute(asked);
  const code = expectedCode(script);
  expect(scene.steps.filter((step) => step === 'append')).toEqual(['append']);
  expect(scene.records.map((record) => record.code)).toEqual([code]);
  expect(scene.executions).toHaveLength(hasBegun(script) ? 1 : 0);
  expect(scene.events.map(({ event }) => event)).toEqual(expectedEvents(script, code));
  const order = ['validate', 'begin', 'execute', 'append'];
  const taken = scene.steps.filter((step) => order.includes(step));
  expect(taken).toEqual(order.filter((step) => taken.includes(step)));
  const isGiven = code === null && script.append === undefined;
  expect(wholeText(outcome).includes(SECRET)).toBe(isGiven);
}

describe('whatever fails, and however', () => {
  it('one append, one event, nothing run before begin, and no rejection', async () => {
    const leaks: unknown[] = [];
    const hear = (cause: unknown) => leaks.push(cause);
    process.on('unhandledRejection', hear);
    try {
      await fc.assert(fc.asyncProperty(anyScript, judge), lawRuns(500));
      await new Promise(setImmediate);
    } finally {
      process.off('unhandledRejection', hear);
    }
    expect(leaks).toEqual([]);
    // A busy machine is slow, not wrong.
  });
});
