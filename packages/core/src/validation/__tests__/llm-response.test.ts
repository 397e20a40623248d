import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validateLLMResponse, type AvailableTool } from '../llm-response.ts';

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer' } },
  required: ['path'],
  additionalProperties: false,
};
const tools = new Map<string, AvailableTool>([
  ['read_file', { inputSchema: schema }],
  ['write_file', { input_schema: schema }],
  ['search', { parameters: schema, mode: 'lenient' }],
  ['bare', {}],
]);

const call = (more: object = {}) => ({ type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a' }, ...more });
const answer = (content: unknown, stop: unknown = 'tool_use') => ({ role: 'assistant', content, stop_reason: stop });
const chat = (message: object, reason = 'tool_calls') => ({ choices: [{ message: { role: 'assistant', ...message }, finish_reason: reason }] });
const chatCall = (text: unknown, more: object = {}) => ({ id: 'c1', type: 'function', function: { name: 'read_file', arguments: text }, ...more });

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

describe('Chat Completions', () => {
  it('reads text, calls and the reason', () => {
    const message = { content: 'hi', tool_calls: [chatCall('{"path":"a"}')] };
    expect(validateLLMResponse(chat(message), tools)).toMatchObject({
      valid: true,
      textContent: 'hi',
      stopReason: 'tool_use',
      toolCalls: [{ id: 'c1', name: 'read_file', input: { path: 'a' }, where: 'choices[0].message.tool_calls[0]' }],
    });
  });

  it.each([['stop', 'end_turn'], ['content_filter', 'refusal'], ['else', 'else']])('%s is %s', (reason, expected) => {
    expect(validateLLMResponse(chat({ content: null }, reason), tools)).toMatchObject({ valid: true, stopReason: expected });
  });

  it.each([
    ['trailing garbage', '{"path":"a"} rm -rf', 'has something behind the JSON value'],
    ['a key twice', '{"path":"a","path":"b"}', 'has a key twice'],
    ['no JSON', 'path=a', 'is not JSON'],
    ['nothing', '', 'is empty'],
    ['an object', { path: 'a' }, 'must be JSON in a string'],
    ['no arguments', undefined, 'must be JSON in a string, not nothing'],
  ])('rejects arguments with %s', (_name, text, problem) => {
    const { rejectedCalls, toolCalls } = validateLLMResponse(chat({ tool_calls: [chatCall(text)] }), tools);
    expect(toolCalls).toEqual([]);
    expect(rejectedCalls).toMatchObject([{ reason: 'not_json', input: text, error: expect.stringContaining(problem) }]);
  });

  it('takes the last call for cut off by length, and leaves calls of other kinds alone', () => {
    const calls = [chatCall('{"path":"a"}'), { type: 'custom', id: 'x' }, chatCall('{"pa', { id: 'c2' })];
    const { toolCalls, cutCalls, otherBlocks } = validateLLMResponse(chat({ tool_calls: calls }, 'length'), tools);
    expect({ toolCalls, cutCalls, otherBlocks }).toMatchObject({ toolCalls: [{ id: 'c1' }], cutCalls: [{ id: 'c2' }], otherBlocks: [{ type: 'custom' }] });
  });
});

describe('the Responses API', () => {
  const item = { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{"path":"a"}' };

  it('reads text, calls, and what is neither', () => {
    const output = [{ type: 'reasoning' }, { type: 'message', content: [{ type: 'output_text', text: 'hi' }] }, item];
    expect(validateLLMResponse({ status: 'completed', output }, tools)).toMatchObject({
      valid: true,
      textContent: 'hi',
      stopReason: 'tool_use',
      toolCalls: [{ id: 'c1', input: { path: 'a' } }],
      otherBlocks: [{ type: 'reasoning' }],
    });
  });

  it('takes the last call of an incomplete answer for cut off', () => {
    const response = { output: [item], incomplete_details: { reason: 'max_output_tokens' } };
    expect(validateLLMResponse(response, tools)).toMatchObject({ stopReason: 'max_tokens', toolCalls: [], cutCalls: [{ id: 'c1' }] });
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
