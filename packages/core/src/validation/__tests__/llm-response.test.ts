import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validateLLMResponse, type AvailableTool } from '../llm-response.ts';
import { answer, call, chat, schema, tools } from './llm-answers.ts';

describe('validateLLMResponse', () => {
  it('should reject unknown tools', () => {
    const { valid, errors, toolCalls, rejectedCalls } = validateLLMResponse(answer([call({ name: 'read_fil' })]), tools);
    expect({ valid, toolCalls }).toEqual({ valid: false, toolCalls: [] });
    expect(errors).toEqual(['content[0]: Unknown tool: "read_fil". Did you mean "read_file"? Call one of the tools that are offered.']);
    expect(rejectedCalls).toEqual([{ id: 'c1', name: 'read_fil', input: { path: 'a' }, where: 'content[0]', index: 0, reason: 'unknown_tool', error: errors[0] }]);
  });

  it('should validate tool inputs', () => {
    const { valid, errors, rejectedCalls } = validateLLMResponse(answer([call({ input: { path: 7 } })]), tools);
    expect(valid).toBe(false);
    expect(errors).toEqual([expect.stringMatching(/^content\[0\]: Invalid input for "read_file": .*"\/path" must be string/)]);
    expect(rejectedCalls).toMatchObject([{ reason: 'invalid_input', input: { path: 7 } }]);
  });

  it('should extract text content', () => {
    const content = [{ type: 'text', text: 'one ' }, call(), { type: 'text', text: 'two' }];
    expect(validateLLMResponse(answer(content), tools)).toMatchObject({ valid: true, textContent: 'one two', stopReason: 'tool_use' });
  });

  it('gives the calls in order, copied and frozen', () => {
    const input = { path: 'a' };
    const { toolCalls } = validateLLMResponse(answer([call({ input }), call({ id: 'c2', name: 'write_file' })]), tools);
    expect(toolCalls).toMatchObject([
      { id: 'c1', name: 'read_file', input, received: input, where: 'content[0]', index: 0 },
      { id: 'c2', name: 'write_file', index: 1 },
    ]);
    expect(toolCalls[0]?.input).not.toBe(input);
    expect(Object.isFrozen(toolCalls[0]?.input)).toBe(true);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', ''])('knows no tool called %j', (name) => {
    const { valid, toolCalls, rejectedCalls } = validateLLMResponse(answer([call({ name })]), tools);
    expect({ valid, toolCalls, rejected: rejectedCalls.length }).toEqual({ valid: false, toolCalls: [], rejected: 1 });
  });

  it.each([
    ['no id', call({ id: undefined }), 'no_id'],
    ['an id that is no text', call({ id: 7 }), 'no_id'],
    ['an endless id', call({ id: 'x'.repeat(300) }), 'no_id'],
    ['a name that is no text', call({ name: {} }), 'no_name'],
    ['a tool without a schema', call({ name: 'bare' }), 'no_schema'],
    ['no input', call({ input: undefined }), 'invalid_input'],
    ['an input that is text', call({ input: '{"path":"a"}' }), 'not_json'],
    ['an input that is a list', call({ input: [] }), 'invalid_input'],
    ['a key that reaches a prototype', call({ input: JSON.parse('{"path":"a","__proto__":{}}') }), 'invalid_input'],
    ['an unknown key', call({ input: { path: 'a', constructor: 1 } }), 'invalid_input'],
  ])('rejects a call with %s', (_name, block, reason) => {
    const { valid, toolCalls, rejectedCalls, errors } = validateLLMResponse(answer([block]), tools);
    expect({ valid, toolCalls, errors: errors.length }).toEqual({ valid: false, toolCalls: [], errors: 1 });
    expect(rejectedCalls).toMatchObject([{ reason }]);
    expect(errors[0]).toMatch(/^content\[0\]/);
  });

  it('rejects the second call of an id, not the first', () => {
    const { toolCalls, rejectedCalls } = validateLLMResponse(answer([call(), call({ input: { path: 'b' } })]), tools);
    expect(toolCalls).toMatchObject([{ index: 0 }]);
    expect(rejectedCalls).toMatchObject([{ index: 1, reason: 'duplicate_id', id: 'c1' }]);
  });

  it.each(['max_tokens', 'model_context_window_exceeded'])('takes the last call of an answer cut by %s for cut off, though it can be read', (stop) => {
    const { toolCalls, cutCalls, rejectedCalls, valid, errors } = validateLLMResponse(answer([call(), call({ id: 'c2' })], stop), tools);
    expect(toolCalls).toMatchObject([{ id: 'c1' }]);
    expect(cutCalls).toEqual([{ id: 'c2', name: 'read_file', where: 'content[1]', index: 1 }]);
    expect({ rejectedCalls, valid }).toEqual({ rejectedCalls: [], valid: false });
    expect(errors[0]).toContain('content[1]: the call of "read_file" was cut off');
  });

  it.each(['', ' \n'])('an empty text behind a call (%j) does not make it whole', (text) => {
    const { toolCalls, cutCalls } = validateLLMResponse(answer([call(), call({ id: 'c2' }), { type: 'text', text }], 'max_tokens'), tools);
    expect({ toolCalls, cutCalls }).toMatchObject({ toolCalls: [{ id: 'c1' }], cutCalls: [{ id: 'c2', index: 1 }] });
  });

  it.each(['refusal', 'pause_turn', 'from_the_future', '', null, 7])('runs nothing of an answer that ended with %j', (stop) => {
    const { valid, toolCalls, cutCalls, errors } = validateLLMResponse(answer([call(), call({ id: 'c2' }), { type: 'text', text: 'x' }], stop), tools);
    expect({ valid, toolCalls, cutCalls }).toMatchObject({ valid: false, toolCalls: [], cutCalls: [{ id: 'c1', index: 0 }, { id: 'c2', index: 1 }] });
    expect(errors).toEqual([0, 1].map((index) => `content[${index}]: the call of "read_file" is not run: the call, or the answer that it stands in, was not finished.`));
  });

  it.each([undefined, 'end_turn', 'stop_sequence', 'tool_use'])('a whole answer ends with %j', (stop) => {
    expect(validateLLMResponse({ content: [call()], ...(stop !== undefined && { stop_reason: stop }) }, tools)).toMatchObject({ valid: true, toolCalls: [{ id: 'c1' }] });
  });

  it('shows what nobody sees in a name', () => {
    const { errors } = validateLLMResponse(answer([call({ name: 't\u{e0101}\u3164\ufe0f\u2800\u202e\n' })]), tools);
    expect(errors).toEqual([expect.stringContaining(String.raw`Unknown tool: "t\u{e0101}\u{3164}\u{fe0f}\u{2800}\u{202e}\n"`)]);
  });

  it('cuts no call when the text behind it was cut', () => {
    expect(validateLLMResponse(answer([call(), { type: 'text', text: 'and th' }], 'max_tokens'), tools)).toMatchObject({ valid: true, cutCalls: [] });
  });

  it('keeps blocks of other types, and runs none', () => {
    const blocks = ['server_tool_use', 'web_search_tool_result', 'mcp_tool_use', 'thinking', 'from_the_future'].map((type) => ({ ...call(), type }));
    const { valid, toolCalls, otherBlocks } = validateLLMResponse(answer(blocks, 'end_turn'), tools);
    expect({ valid, toolCalls }).toEqual({ valid: true, toolCalls: [] });
    expect(otherBlocks.map(({ block }) => block)).toEqual(blocks);
    expect(otherBlocks[0]).toMatchObject({ where: 'content[0]', type: 'server_tool_use' });
  });

  it('coerces where the tool is lenient, and keeps what came', () => {
    const { toolCalls } = validateLLMResponse(answer([call({ name: 'search', input: { path: 'a', limit: '7' } })]), tools);
    expect(toolCalls).toMatchObject([{ input: { path: 'a', limit: 7 }, received: { path: 'a', limit: '7' } }]);
  });
});

describe('an answer that is none', () => {
  it.each([
    ['nothing', undefined, 'Invalid response format'],
    ['text', '{"content":[]}', 'parse the JSON'],
    ['a number', 7, 'Invalid response format'],
    ['a list', [], 'Missing content array'],
    ['no content', {}, 'Missing content array'],
    ['content that is text', answer('hi'), 'Missing content array'],
    ['inherited content', Object.create({ content: [call()] }), 'Missing content array'],
    ['too many blocks', answer(Array.from({ length: 1_001 }, () => call())), 'more than 1000'],
    ['a list that says it is longer', answer(new Proxy([], { get: () => 2 ** 32 })), 'more than 1000'],
    ['two choices', { choices: [{ message: {} }, { message: {} }] }, 'more than one'],
    ['no choice', { choices: [] }, 'Missing message'],
    ['choices that are none', { choices: 'x' }, 'must be a list'],
    ['calls that are no list', chat({ tool_calls: {} }), 'must be a list'],
    ['output that is no list', { output: {} }, 'must be a list'],
    ['a getter that throws', { get content() { throw new Error('secret-in-error'); } }, 'cannot be read'],
    ['a proxy that throws', new Proxy({}, { getOwnPropertyDescriptor: () => { throw new Error('secret-in-error'); } }), 'cannot be read'],
    ['a proxy that throws a proxy', new Proxy({}, { getOwnPropertyDescriptor: () => { throw new Proxy({}, { getPrototypeOf: () => { throw new Error('x'); } }); } }), 'cannot be read'],
  ])('%s', (_name, response, error) => {
    const checked = validateLLMResponse(response, tools);
    expect(checked).toEqual({ valid: false, toolCalls: [], textContent: '', errors: [expect.stringContaining(error)], rejectedCalls: [], cutCalls: [], otherBlocks: [], stopReason: null });
    expect(JSON.stringify(checked)).not.toContain('secret-in-error');
  });

  it.each([
    ['null', null],
    ['no type', {}],
    ['a type that is no text', { type: 7 }],
    ['text that is none', { type: 'text', text: {} }],
    ['a text without text', { type: 'text' }],
  ])('a block that is %s is an error of its own', (_name, block) => {
    const { valid, errors, toolCalls } = validateLLMResponse(answer([block, call()]), tools);
    expect({ valid, calls: toolCalls.length }).toEqual({ valid: false, calls: 1 });
    expect(errors).toEqual([expect.stringMatching(/^content\[0\](\.text)? must be/)]);
  });

  it('a polluted prototype answers for no model', () => {
    const polluted = Object.prototype as { content?: unknown };
    polluted.content = [call()];
    try {
      expect(validateLLMResponse({}, tools).toolCalls).toEqual([]);
    } finally {
      delete polluted.content;
    }
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }), (value) => {
        for (const response of [value, answer(value), answer([value]), answer([call({ input: value })]), chat({ tool_calls: [value] }), { output: [value] }]) {
          const { valid, errors } = validateLLMResponse(response, tools);
          expect(valid).toBe(errors.length === 0);
        }
      }),
    );
  });
});

describe('bounds', () => {
  it('looks at 500 calls, and lists fifty problems', () => {
    const good = Array.from({ length: 500 }, (_, index) => call({ id: `c${index}` }));
    expect(validateLLMResponse(answer(good), tools).toolCalls).toHaveLength(500);
    const bad = good.map((block) => ({ ...block, name: `${'x'.repeat(100_000)}` }));
    const { errors, rejectedCalls } = validateLLMResponse(answer(bad), tools);
    expect(rejectedCalls).toHaveLength(500);
    expect(errors).toHaveLength(51);
    expect(errors.at(-1)).toBe('There are 450 more problems.');
    expect(errors.join('').length).toBeLessThan(20_000);
  });

  it('walks what many calls share a bounded number of times', () => {
    let reads = 0;
    const shared = new Proxy({}, { ownKeys: () => Array.from({ length: 40_000 }, (_, index) => `k${index}`), getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: () => { reads += 1; return 1; } });
    const calls = Array.from({ length: 900 }, (_, index) => call({ id: `c${index}`, input: { path: shared } }));
    const { rejectedCalls } = validateLLMResponse(answer(calls), tools);
    expect(rejectedCalls).toHaveLength(900);
    expect(rejectedCalls.at(-1)).toMatchObject({ reason: 'too_large' });
    expect(reads).toBeLessThan(1_100_000);
  });

  it('reads the schema of a tool once, however many calls there are', () => {
    let reads = 0;
    const watched = new Proxy(schema, { ownKeys: (target) => { reads += 1; return Reflect.ownKeys(target); } });
    const calls = Array.from({ length: 500 }, (_, index) => call({ id: `c${index}`, name: 'watched' }));
    expect(validateLLMResponse(answer(calls), new Map([['watched', { parameters: watched }]])).toolCalls).toHaveLength(500);
    expect(reads).toBe(1);
  });

  it('refuses each call of a tool whose schema cannot be used', () => {
    const { rejectedCalls } = validateLLMResponse(answer([call({ name: 't' }), call({ id: 'c2', name: 't' })]), new Map([['t', { parameters: { type: 'elephant' } }]]));
    expect(rejectedCalls).toMatchObject([1, 2].map(() => ({ reason: 'invalid_input', error: expect.stringContaining('The schema cannot be used') })));
  });

  it('all calls of an answer together cost what one may cost', () => {
    const heavy = { type: 'object', properties: { list: { items: { allOf: Array.from({ length: 100 }, () => ({ type: 'number' })) } } } };
    const offered = new Map<string, AvailableTool>([['heavy', { parameters: heavy }], ['light', { parameters: schema }]]);
    const list = Array.from({ length: 20_000 }, () => 1);
    const calls = Array.from({ length: 40 }, (_, index) => call({ id: `c${index}`, name: 'heavy', input: { list } }));
    let isRead = false;
    const unread = { get path() { isRead = true; return 'a'; } };
    const { toolCalls, rejectedCalls } = validateLLMResponse(answer([...calls, call({ id: 'light', name: 'light', input: unread })]), offered);
    expect(toolCalls.length).toBeGreaterThan(0);
    expect(toolCalls.length).toBeLessThan(20);
    expect(new Set(rejectedCalls.map(({ reason }) => reason))).toEqual(new Set(['too_large']));
    expect(rejectedCalls.at(-1)).toMatchObject({ id: 'light', error: expect.stringContaining('take too long to check') });
    expect(isRead).toBe(false);
  });

  it('a schema that leads too deep takes no other call along', () => {
    const $defs = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`d${index}`, index === 1_199 ? {} : { $ref: `#/$defs/d${index + 1}` }]));
    const offered = new Map<string, AvailableTool>([['deep', { parameters: { $defs, $ref: '#/$defs/d0' } }], ['light', { parameters: schema }]]);
    const { toolCalls, rejectedCalls } = validateLLMResponse(answer([call({ name: 'deep' }), call({ id: 'c2', name: 'light' })]), offered);
    expect({ toolCalls, rejectedCalls }).toMatchObject({ toolCalls: [{ id: 'c2' }], rejectedCalls: [{ id: 'c1', reason: 'invalid_input' }] });
  });

  it('reads an answer of 50 MB', () => {
    const text = 'x'.repeat(50_000_000);
    const { textContent, rejectedCalls } = validateLLMResponse(answer([{ type: 'text', text }, call({ input: { path: 'a', more: text } })]), tools);
    expect(textContent).toHaveLength(50_000_000);
    expect(rejectedCalls[0]?.error.length).toBeLessThan(1_200);
  });

  it('does not follow a circle or a depth', () => {
    const circle: Record<string, unknown> = {};
    circle['path'] = circle;
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const { rejectedCalls } = validateLLMResponse(answer([call({ input: circle }), call({ id: 'c2', input: { path: deep } })]), tools);
    expect(rejectedCalls).toMatchObject([{ reason: 'invalid_input' }, { reason: 'invalid_input' }]);
  });

  it('never quotes what was sent', () => {
    const secret = ['sk', 'live', 'x'.repeat(30)].join('-');
    const blocks = [call({ input: { path: { token: secret } } }), call({ id: 'c2', input: secret }), call({ id: secret, name: 'bare' }), call({ id: 'c3', input: { path: 'a', limit: secret } })];
    expect(validateLLMResponse(answer(blocks), tools).errors.join('\n')).not.toContain(secret);
  });
});
