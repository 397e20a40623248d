import { describe, expect, it } from '@jest/globals';
import { answer, createScene, describeTool, request } from './scene.ts';
import type { AgentLogReceipt, IntentWishes } from '../call/types.ts';

const RECEIPT: AgentLogReceipt = { seq: 7, leaf: 'a'.repeat(64) };
const append = async () => RECEIPT;

describe('receipts', () => {
  it('go out with each answer, where the log gives them', async () => {
    const scene = createScene({ append });
    expect((await scene.proxy.execute(request()))._meta).toMatchObject({ 'devs/receipt': RECEIPT });
  });

  it('go out with refusals too, beside what they say of themselves', async () => {
    const scene = createScene({ append });
    const result = await scene.proxy.execute(request({ toolName: 'nothing' }));
    expect(result._meta).toMatchObject({ 'devs/receipt': RECEIPT, 'devs/refusal': { code: 'UNKNOWN_TOOL' } });
  });

  it('are not in the log: a record cannot hold its own hash', async () => {
    const scene = createScene({ append });
    await scene.proxy.execute(request());
    expect(JSON.stringify(scene.records)).not.toContain('devs/receipt');
  });

  it.each<[name: string, given: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'receipt'],
    ['one without a number', { leaf: 'a' }],
    ['one without a hash', { seq: 1 }],
  ])('are not made up when the log gives %s', async (_name, given) => {
    const scene = createScene({ append: async () => given as AgentLogReceipt });
    expect(JSON.stringify(await scene.proxy.execute(request()))).not.toContain('devs/receipt');
  });

  it('cannot be forged by a tool', async () => {
    const forged = { content: [{ type: 'text', text: 'x' }], _meta: { 'devs/receipt': { seq: 1, leaf: 'forged' } } };
    for (const given of [append, async () => undefined]) {
      const scene = createScene({ append: given, execute: async () => forged });
      expect(JSON.stringify(await scene.proxy.execute(request()))).not.toContain('forged');
    }
  });

  it('do not go out with an answer that is withheld', async () => {
    const scene = createScene({ append: async () => Promise.reject(new Error('full')), execute: async () => answer('x') });
    expect(JSON.stringify(await scene.proxy.execute(request()))).not.toContain('devs/receipt');
  });
});

describe('what the log is told of an intent', () => {
  it.each([
    [true, false],
    [false, true],
  ])('of a tool whose `effects` are %s: it may wait: %s', async (effects, mayWait) => {
    const wishes: (IntentWishes | undefined)[] = [];
    const begin = async (_intent: unknown, wish?: IntentWishes) => void wishes.push(wish);
    const scene = createScene({ tools: [describeTool({ effects })], begin });
    await scene.proxy.execute(request());
    expect(wishes).toEqual([{ mayWait }]);
  });
});
