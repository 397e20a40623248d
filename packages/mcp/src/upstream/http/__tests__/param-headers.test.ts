import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@devs/core';
import { encodeHeader, ParamHeaders } from '../param-headers.ts';

const header = (name: Json, type: Json = 'string') => ({ type, 'x-mcp-header': name });
const object = (properties: JsonObject, rest: JsonObject = {}) => ({ type: 'object', properties, ...rest });

function listed(inputSchema: unknown) {
  const excluded: string[] = [];
  const headers = new ParamHeaders({ onExcluded: (problem) => excluded.push(problem) });
  const result = { tools: [{ name: 't', inputSchema }], nextCursor: 'x' };
  return { headers, excluded, result, reviewed: headers.review(result) };
}

describe('arguments that go into headers', () => {
  it.each<[string, JsonObject, JsonObject, object | undefined]>([
    ['a text', { a: header('Region') }, { a: 'eu' }, { 'mcp-param-region': 'eu' }],
    ['a number', { a: header('N', 'integer') }, { a: 5 }, { 'mcp-param-n': '5' }],
    ['a boolean', { a: header('B', 'boolean') }, { a: false }, { 'mcp-param-b': 'false' }],
    ['one inside of another', { o: object({ a: header('Deep') }) }, { o: { a: 'x' } }, { 'mcp-param-deep': 'x' }],
    ['nothing for what is absent, or null', { a: header('A'), b: header('B') }, { b: null }, undefined],
    ['nothing for what is no plain value', { a: header('A') }, { a: { b: 1 } }, undefined],
    ['nothing of a prototype', { constructor: header('A') }, {}, undefined],
    ['nothing for a number that would be changed', { a: header('A', 'integer') }, { a: 2 ** 60 }, undefined],
  ])('%s', (_name, properties, args, expected) => {
    const { headers, result, reviewed } = listed(object(properties));
    expect(reviewed).toBe(result);
    expect(headers.headersFor({ name: 't', arguments: args })).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['is empty', object({ a: header('') })],
    ['is no text', object({ a: header(5) })],
    ['would begin another header', object({ a: header('A\r\nAuthorization') })],
    ['has a blank', object({ a: header('A b') })],
    ['is there twice', object({ a: header('Name'), b: header('name') })],
    ['is of an object', object({ a: header('A', 'object') })],
    ['is of a number', object({ a: header('A', 'number') })],
    ['is of the whole', { ...object({}), 'x-mcp-header': 'A' }],
    ['is inside of a list', object({ a: { type: 'array', items: header('A') } })],
    ['is one of many', object({}, { anyOf: [object({ a: header('A') })] })],
    ['is in a definition', object({}, { $defs: { a: header('A') } })],
  ])('take a tool out of the list whose declaration %s', (_name, schema) => {
    const { headers, excluded, reviewed } = listed(schema);
    expect(reviewed).toEqual({ tools: [], nextCursor: 'x' });
    expect(excluded).toEqual(['a tool whose declaration of headers is invalid']);
    expect(headers.headersFor({ name: 't', arguments: { a: 'x' } })).toBeUndefined();
  });

  it('are known from another connection’s list, too', () => {
    const headers = new ParamHeaders({ onExcluded: () => undefined, schemaOf: (name) => (name === 't' ? object({ a: header('A') }) : undefined) });
    expect(headers.headersFor({ name: 't', arguments: { a: 'x' } })).toEqual({ 'mcp-param-a': 'x' });
    expect(headers.headersFor({ name: 'u', arguments: { a: 'x' } })).toBeUndefined();
  });

  it.each([
    ['plain', 'plain'],
    ['two words', 'two words'],
    ['', '=?base64??='],
    [' blank', '=?base64?IGJsYW5r?='],
    ['a\r\nAuthorization: x', '=?base64?YQ0KQXV0aG9yaXphdGlvbjogeA==?='],
    ['ü', '=?base64?w7w=?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
  ])('%j is written as %s', (value, expected) => {
    expect(encodeHeader(value)).toBe(expected);
  });
});
