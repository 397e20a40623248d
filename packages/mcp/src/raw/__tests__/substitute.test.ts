import { describe, expect, it } from '@jest/globals';
import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import { toCallRefusal, tooLarge, toSubstitute } from '../substitute.ts';

const ENVELOPE = { version: 'as agreed' };
const substitute = (params: string) => toSubstitute({ id: 7, method: 'tools/call', params: JSON.parse(params) }, ENVELOPE);

describe('what stands in for a call that is refused', () => {
  it.each([
    ['its own _meta', '{"name":"x","arguments":{"a":1},"_meta":{"progressToken":"t"}}', 'x', { progressToken: 't' }],
    ['a _meta with a prototype', '{"name":"x","_meta":{"a":[{"__proto__":1}]}}', 'x', ENVELOPE],
    ['a _meta with a progress token that is an object', '{"name":"x","_meta":{"progressToken":{}}}', 'x', ENVELOPE],
    ['a _meta with a progress token that is too long', `{"name":"x","_meta":{"progressToken":"${'t'.repeat(2_000)}"}}`, 'x', ENVELOPE],
    ['a _meta with a task that is a number', '{"name":"x","_meta":{"io.modelcontextprotocol/related-task":5}}', 'x', ENVELOPE],
    ['a _meta that is too deep', `{"name":"x","_meta":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`, 'x', ENVELOPE],
    ['no _meta', '{"name":"x"}', 'x', ENVELOPE],
    ['a name that is a number', '{"name":5}', '', ENVELOPE],
    ['a long name', `{"name":"${'n'.repeat(5_000)}"}`, 'n'.repeat(5_000), ENVELOPE],
    ['parameters in a list', '["x"]', '', ENVELOPE],
    ['no parameters', 'null', '', ENVELOPE],
  ])('has the id, the name, no arguments, and a _meta that the SDK takes: %s', (_name, params, name, _meta) => {
    expect(substitute(params)).toEqual({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: {}, _meta } });
    expect(isJSONRPCRequest(substitute(params))).toBe(true);
  });
});

describe('why a call is refused', () => {
  it.each([
    [['params', 'arguments', 'a', '0'], 'TOOL_ARG_VALIDATION_FAILURE', 'Argument "/a/0" is bad.'],
    [['params', 'arguments'], 'TOOL_ARG_VALIDATION_FAILURE', 'The arguments is bad.'],
    [['params', '_meta', 'x'], 'MESSAGE_REFUSED', 'The message cannot be accepted: "/params/_meta/x" is bad.'],
    [['__proto__'], 'MESSAGE_REFUSED', 'The message cannot be accepted: "/__proto__" is bad.'],
    [['params', 'arguments', '\u{d800}\n'], 'TOOL_ARG_VALIDATION_FAILURE', String.raw`Argument "/` + '\u{fffd}' + String.raw`\n" is bad.`],
    [['params', 'arguments', 'k'.repeat(1_000)], 'TOOL_ARG_VALIDATION_FAILURE', 'Argument "/[...]" is bad.'],
  ])('%j', (path, code, sentence) => {
    expect(toCallRefusal({ path, problem: 'is bad' })).toMatchObject({ code, sentence });
  });

  it('has a code of its own for size', () => {
    expect(tooLarge('is huge')).toMatchObject({ code: 'MESSAGE_TOO_LARGE', sentence: 'The message is huge.' });
  });
});
