import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContextBudget } from '../context-budget.ts';
import { Conversation } from '../conversation.ts';
import { fitResult } from '../run-calls.ts';
import { createTokenCounter, loadTokenCounter } from '../token-counter.ts';

const LENGTH = 200_000;
const letters = Array.from({ length: LENGTH }, (_, index) => String.fromCodePoint(97 + ((index * index * 31 + index * 7) % 26))).join('');

describe('loadTokenCounter', () => {
  // The cost of a piece is the square of its length, at worst: what bounds the pieces and their number bounds the time.
  it.each([
    ['one letter', 'a'.repeat(LENGTH)],
    ['letters', letters],
    ['blanks', ' '.repeat(LENGTH)],
    ['breaks', '\n'.repeat(LENGTH)],
    ['ideographs', '語'.repeat(LENGTH)],
    ['pictures', '👍'.repeat(LENGTH / 2)],
    ['joiners', '\u200d'.repeat(LENGTH)],
    ['halves', '\ud800'.repeat(LENGTH)],
    ['ideographs, broken', `${'語'.repeat(12)}a`.repeat(LENGTH / 13)],
    ['accents', 'е\u0301'.repeat(LENGTH / 2)],
    ['special tokens', '<|endoftext|>'.repeat(LENGTH / 13)],
  ])('counts 200,000 unbroken characters of %s in small pieces, each once', async (_name, text) => {
    const pieces: number[] = [];
    createTokenCounter((piece) => pieces.push(piece.length))(text);
    expect(pieces.filter((length) => length > 128)).toEqual([]);
    expect(pieces.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(text.length);
    expect((await loadTokenCounter())(text)).toBeGreaterThan(text.length / 200);
  });

  it('never counts fewer than the encoding has, and hardly more', async () => {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    const count = await loadTokenCounter();
    const prose = 'The quick brown fox jumps over the lazy dog; das ist ein Satz.\n'.repeat(200);
    expect(count(prose)).toBeGreaterThanOrEqual(countTokens(prose));
    expect(count(prose)).toBeLessThan(countTokens(prose) * 1.15);
  });

  it('counts a quarter of a million characters of a text, and the rest at its most', async () => {
    const count = await loadTokenCounter();
    const text = 'ab '.repeat(2_000_000);
    expect(count(text)).toBeGreaterThan(text.length - 262_144);
  });
});

describe('ContextBudget', () => {
  const message = (text: string) => ({ role: 'user' as const, content: [{ type: 'text', text }] });

  it('does not even load the counter for what fits in any encoding', async () => {
    const budget = new ContextBudget(1_000, async () => {
      throw new Error('loaded');
    });
    expect(await budget.excess('fixed', [message('x'.repeat(900))])).toBe(0);
    await expect(budget.excess('fixed', [message('x'.repeat(1_000))])).rejects.toThrow('loaded');
  });

  it('encodes no more of a huge conversation than tells that it does not fit', async () => {
    let encoded = 0;
    const count = (text: string) => {
      encoded += text.length;
      return 1;
    };
    const messages = Array.from({ length: 999 }, () => message('x'.repeat(1_000)));
    expect(await new ContextBudget(1_000, async () => count).excess('', messages)).toBeGreaterThan(0);
    expect(encoded).toBeLessThanOrEqual(8_000);
  });

  it('counts what goes with every request once', async () => {
    const counted: string[] = [];
    const budget = new ContextBudget(300, async () => (text) => counted.push(text) && 100);
    const fixed = 'x'.repeat(400);
    await budget.excess(fixed, [message('y'.repeat(500))]);
    await budget.excess(fixed, [message('z'.repeat(500))]);
    expect(counted.filter((text) => text === fixed)).toHaveLength(1);
    expect(await budget.excess('w'.repeat(400), [])).toBe(0);
    expect(counted.at(-1)).toContain('www');
  });

  it('counts each block once', async () => {
    const counted: string[] = [];
    const count = (text: string) => counted.push(text) && 100;
    const budget = new ContextBudget(300, async () => count);
    const messages = [message('x'.repeat(500)), message('y'.repeat(500))];
    expect(await budget.excess('', messages)).toBe(Math.ceil((100 + 116 + 116) * 1.4) - 300);
    await budget.excess('', [...messages, message('z')]);
    expect(counted.filter((text) => text !== '')).toHaveLength(3);
  });
});

describe('Conversation', () => {
  const call = (id: unknown) => ({ type: 'tool_use', id, name: 'read', input: {} });

  it('has an answer for each call, whatever the calls and the answers are', () => {
    const blocks = fc.array(fc.oneof(fc.record({ type: fc.constant('tool_use'), id: fc.anything(), name: fc.anything(), input: fc.anything() }), fc.anything()));
    const answers = fc.array(fc.record({ index: fc.nat(8), texts: fc.array(fc.string()), failed: fc.boolean() }));
    fc.assert(
      fc.property(fc.array(fc.tuple(blocks, answers), { maxLength: 4 }), (turns) => {
        const conversation = new Conversation('task');
        for (const [content, results] of turns) if (conversation.addAnswer(content)) conversation.addResults(results);
        const sent = conversation.messages.flatMap(({ content }) => content);
        const asked = sent.filter(({ type }) => type === 'tool_use').map((block) => block['id']);
        expect(sent.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id'])).toEqual(asked);
        expect(new Set(asked).size).toBe(asked.length);
        expect(() => JSON.stringify(conversation.messages)).not.toThrow();
      }),
    );
  });

  it('drops results from the oldest on, never the task or the model’s words', () => {
    const conversation = new Conversation('task');
    for (const id of ['a', 'b']) {
      conversation.addAnswer([{ type: 'text', text: `asking ${id}` }, call(id)]);
      conversation.addResults([{ index: 1, texts: [`${id} `.repeat(500)], failed: false }]);
    }
    expect(conversation.dropOldestResult()).toBe(1_000);
    const text = JSON.stringify(conversation.messages);
    for (const kept of ['task', 'asking a', 'asking b', 'b b b']) expect(text).toContain(kept);
    expect(text).not.toContain('a a a');
    expect(conversation.dropOldestResult()).toBe(1_000);
    expect(conversation.dropOldestResult()).toBeUndefined();
  });
});

it('fitResult is never longer than its limit, and leaves what fits alone', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 400, size: 'max' })), fc.nat(1_000), (texts, limit) => {
      const fitted = fitResult(texts, limit);
      const total = texts.join('').length;
      expect(fitted.join('').length).toBeLessThanOrEqual(limit);
      if (total <= limit) expect(fitted).toEqual(texts);
    }),
  );
});

describe('Conversation', () => {
  it('makes no id that a call has had', () => {
    const conversation = new Conversation('task');
    const call = (id: unknown) => ({ type: 'tool_use', id, name: 'read', input: {} });
    conversation.addAnswer([call('devs_1'), call(''), call('devs_1'), call('devs_3'), call('devs_2')]);
    const ids = conversation.messages[1]?.content.map((block) => block['id']);
    expect(new Set(ids).size).toBe(5);
  });

  it('says of a result that is blank what it is', () => {
    const conversation = new Conversation('task');
    conversation.addAnswer(['a', 'b', 'c'].map((id) => ({ type: 'tool_use', id, name: 'read', input: {} })));
    const answers = [[''], ['\n \t'], ['\n', 'x']].map((texts, index) => ({ index, texts, failed: false }));
    conversation.addResults(answers);
    expect(conversation.messages[2]?.content.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: '(no output)' }],
      [{ type: 'text', text: '(white space alone)' }],
      [{ type: 'text', text: 'x' }],
    ]);
  });
});
