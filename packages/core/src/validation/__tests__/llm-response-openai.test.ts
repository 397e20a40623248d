import { describe, expect, it } from '@jest/globals';
import { validateLLMResponse } from '../llm-response.ts';
import { chat, tools } from './llm-answers.ts';

const chatCall = (text: unknown, more: object = {}) => ({ id: 'c1', type: 'function', function: { name: 'read_file', arguments: text }, ...more });

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

  it.each([['a message', { content: null, refusal: 'No.' }], ['a part of a message', { content: [{ type: 'refusal', refusal: 'No.' }] }]])(
    'a refusal in %s is one, whatever the reason says, and nothing is run',
    (_name, message) => {
      const checked = validateLLMResponse(chat({ ...message, tool_calls: [chatCall('{"path":"a"}')] }, 'stop'), tools);
      expect(checked).toMatchObject({ valid: false, stopReason: 'refusal', textContent: 'No.', toolCalls: [], cutCalls: [{ id: 'c1' }] });
      expect(validateLLMResponse(chat(message, 'stop'), tools)).toMatchObject({ valid: true, stopReason: 'refusal', textContent: 'No.' });
    },
  );

  it('a refusal that is no text lets nothing run', () => {
    const checked = validateLLMResponse(chat({ refusal: {}, tool_calls: [chatCall('{"path":"a"}')] }), tools);
    expect(checked).toMatchObject({ valid: false, toolCalls: [], errors: ['`choices[0].message.refusal` must be a string, not of type object.'] });
  });

  it.each(['content_filter', 'error', null])('runs nothing of an answer that ended with %j', (reason) => {
    const response = { choices: [{ message: { tool_calls: [chatCall('{"path":"a"}')] }, finish_reason: reason }] };
    expect(validateLLMResponse(response, tools)).toMatchObject({ valid: false, toolCalls: [], cutCalls: [{ id: 'c1' }] });
  });

  it('says that a call of the old kind is not run', () => {
    const message = { content: null, refusal: null, function_call: { name: 'read_file', arguments: '{"path":"a"}' } };
    const { valid, toolCalls, errors } = validateLLMResponse(chat(message, 'function_call'), tools);
    expect({ valid, toolCalls }).toEqual({ valid: false, toolCalls: [] });
    expect(errors).toEqual([expect.stringMatching(/^choices\[0\]\.message\.function_call is a call without an id/)]);
  });

  it('keys that servers leave empty say nothing', () => {
    const message = { content: 'hi', refusal: '', function_call: null, tool_calls: null };
    expect(validateLLMResponse(chat(message, 'stop'), tools)).toMatchObject({ valid: true, textContent: 'hi', stopReason: 'end_turn' });
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

  it.each([
    ['max_output_tokens', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'max_tokens'],
    ['no reason', { status: 'incomplete' }, 'max_tokens'],
    ['null for a reason', { status: 'incomplete', incomplete_details: null }, 'max_tokens'],
    ['content_filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'refusal'],
    ['a reason from the future', { status: 'incomplete', incomplete_details: { reason: 'else' } }, 'else'],
    ['a status that denies it', { status: 'completed', incomplete_details: { reason: 'content_filter' } }, 'refusal'],
  ])('runs nothing of an answer that is incomplete with %s', (_name, more, stopReason) => {
    const output = [{ ...item, status: 'completed' }, { ...item, call_id: 'c2', status: 'incomplete' }, { type: 'reasoning' }];
    const checked = validateLLMResponse({ output, ...more }, tools);
    expect(checked).toMatchObject({ valid: false, stopReason, toolCalls: [], cutCalls: [{ id: 'c1', index: 0 }, { id: 'c2', index: 1 }] });
  });

  it.each(['incomplete', 'in_progress', 'else', 7])('does not run a call whose own status is %j', (status) => {
    const output = [item, { ...item, call_id: 'c2', status }, { ...item, call_id: 'c3', status: 'completed' }];
    const checked = validateLLMResponse({ status: 'completed', output }, tools);
    expect(checked).toMatchObject({ valid: false, stopReason: 'tool_use', toolCalls: [{ id: 'c1' }, { id: 'c3' }], cutCalls: [{ id: 'c2', index: 1 }] });
  });

  it.each([{ status: 'failed' }, { status: 'cancelled' }, { status: 'queued' }, { status: 'in_progress' }, { status: 'else' }, { status: 7 }, { status: 'completed', error: { message: 'secret-in-error' } }])(
    'there is no answer in %j',
    (more) => {
      const checked = validateLLMResponse({ error: null, output: [item], ...more }, tools);
      expect(checked).toMatchObject({ valid: false, toolCalls: [], cutCalls: [], errors: [expect.stringContaining('There is no answer')] });
      expect(JSON.stringify(checked)).not.toContain('secret-in-error');
    },
  );

  it('takes a refusal for one', () => {
    const output = [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }, item];
    expect(validateLLMResponse({ status: 'completed', output }, tools)).toMatchObject({ stopReason: 'refusal', textContent: 'No.', toolCalls: [], otherBlocks: [] });
  });
});
