import { describe, expect, it } from '@jest/globals';
import type { CodeEnd, CodeOutcome, CodePlan } from '@devs/core';
import { SchemaCompiler } from '@devs/core';
import { runCodeTool } from '../run-code/run-code.ts';

const OUTCOME: CodeOutcome = { end: { kind: 'value', value: '1', isText: false }, printed: '', omitted: 0, notices: [], calls: 0, sanitize: undefined };

async function call(args: object, outcome: Partial<CodeOutcome> = {}) {
  const plans: CodePlan[] = [];
  let isBound = false;
  if (runCodeTool.kind !== 'code') throw new TypeError('run_code is of another kind');
  const { definition, handler } = runCodeTool;
  const compiled = new SchemaCompiler().compile(definition.inputSchema, { authorship: 'own', mode: 'strict' });
  const checked = compiled.check({ language: 'javascript', code: '1', ...args });
  if (!('args' in checked)) throw new TypeError('the arguments do not fit');
  const answer = await handler(checked.args, {
    code: {
      run: async (plan) => {
        plans.push(plan);
        return Promise.resolve({ ...OUTCOME, ...outcome });
      },
    },
    tools: ['read_file', 'run_code'],
    callTool: () => Promise.reject(new Error('not called')),
    bound: () => {
      isBound = true;
    },
    signal: new AbortController().signal,
  });
  return { answer, plan: plans[0], isBound };
}

const blocks = (...texts: readonly (readonly [string, string])[]) => texts.map(([type, text]) => ({ type, text }));

describe('run_code', () => {
  it('runs the code with all tools but itself', async () => {
    const { plan, isBound } = await call({ code: 'return 1', timeoutMs: 50 });
    expect(plan).toMatchObject({ code: 'return 1', timeoutMs: 50, tools: ['read_file'] });
    expect(isBound).toBe(false);
  });

  it.each<readonly [string, Partial<CodeOutcome>, boolean, ReturnType<typeof blocks>]>([
    ['a value', {}, false, blocks(['text', '1'])],
    ['what was printed, then the value', { printed: 'a\n' }, false, blocks(['text', 'a\n'], ['text', '1'])],
    ['nothing', { end: { kind: 'value', value: undefined, isText: false } }, false, blocks(['notice', '[devs: The code has returned nothing.]'])],
    ['an empty string', { end: { kind: 'value', value: '', isText: true } }, false, blocks(['notice', '[devs: The code has returned an empty string.]'])],
    ['what was thrown', { end: { kind: 'thrown', message: 'Error: x (line 1)' }, printed: 'a' }, true, blocks(['text', 'a'], ['text', 'Error: x (line 1)'])],
    ['what was too much', { omitted: 3, printed: 'a' }, false, blocks(['text', 'a'], ['text', '1'], ['notice', '[devs: 3 more characters were printed.]'])],
    ['what devs said of answers', { notices: ['[devs: cut.]'] }, false, blocks(['text', '1'], ['notice', '[devs: cut.]'])],
    ['nothing of a broken guest', { end: { kind: 'broken' }, printed: 'forged', omitted: 4 }, true, blocks(['notice', '[devs: The code broke what it ran in, so nothing of it is shown.]'])],
  ])('answers %s', async (_name, outcome, isError, content) => {
    expect((await call({}, outcome)).answer).toEqual({ isError, content });
  });

  it.each<readonly [Extract<CodeEnd, { kind: 'limit' }>['limit'], string]>([
    ['time', 'it took longer than it may'],
    ['memory', 'more memory than it may have'],
    ['calls', 'no more than 7 calls'],
    ['stack', 'too deep'],
    ['output', 'Return less'],
  ])('says which limit it was: %s', async (limit, words) => {
    const { answer } = await call({}, { end: { kind: 'limit', limit }, calls: 7, printed: 'so far\n' });
    expect(answer).toMatchObject({ isError: true, content: [{ text: 'so far\n' }, { type: 'notice', text: expect.stringContaining(words) }] });
  });

  it.each([[true, true], [false, false], [undefined, false]])('binds its answer when the code says so: %s', async (sanitize, expected) => {
    expect((await call({}, { sanitize })).isBound).toBe(expected);
  });

  it.each([
    ['another language', { language: 'python' }],
    ['no code', { code: '' }],
    ['more code', { code: 'x'.repeat(200_001) }],
    ['no time', { timeoutMs: 0 }],
    ['a name', { file: 'x' }],
  ])('takes no other arguments: %s', async (_name, args) => {
    await expect(call(args)).rejects.toThrow('the arguments do not fit');
  });
});
