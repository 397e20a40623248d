import { describe, expect, it } from '@jest/globals';
import { objectionToParameters } from '../param-headers.ts';

const inputSchema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    plain: { type: 'string' },
    deep: { type: 'object', properties: { key: { type: 'string', 'x-mcp-header': 'Deep' } } },
    bad: { type: 'string', 'x-mcp-header': 'two words' },
    list: { type: 'array', items: { properties: { no: { type: 'string', 'x-mcp-header': 'No' } } } },
  },
};

function encode(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

describe('headers that repeat arguments', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['nothing', {}, {}],
    ['an argument and its header', { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    ['Base64 of it', { region: 'Zürich ' }, { 'mcp-param-region': encode('Zürich ') }],
    ['Base64 of what looks like Base64', { region: encode('x') }, { 'mcp-param-region': encode(encode('x')) }],
    ['empty Base64', { region: '' }, { 'mcp-param-region': encode('') }],
    ['a number', { count: 42 }, { 'mcp-param-count': '42' }],
    ['the same number in other words', { count: 42 }, { 'mcp-param-count': '42.0' }],
    ['false', { dry: false }, { 'mcp-param-dry-run': 'false' }],
    ['a member of a member', { deep: { key: 'a' } }, { 'mcp-param-deep': 'a' }],
    ['null without a header', { region: null }, {}],
    ['a header without an argument', {}, { 'mcp-param-region': 'eu' }],
    ['an argument that no header stands for', { plain: 'a', bad: 'b', list: [{ no: 'c' }] }, {}],
    ['what is no text for a header', { region: { a: 1 } }, {}],
    ['arguments that are none', 'text', {}],
    ['an inherited member', Object.create({ region: 'eu' }), {}],
  ])('agree over %s', (_name, args, headers) => {
    expect(objectionToParameters({ inputSchema, args, headers })).toBeUndefined();
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['a header that is missing', { region: 'eu' }, {}],
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['more of it', { region: 'eu' }, { 'mcp-param-region': 'eu, us' }],
    ['an empty value', { region: 'eu' }, { 'mcp-param-region': '' }],
    ['Base64 of another value', { region: 'eu' }, { 'mcp-param-region': encode('us') }],
    ['Base64 that is not canonical', { region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }],
    ['Base64 of bytes that are no UTF-8', { region: '\u{fffd}' }, { 'mcp-param-region': '=?base64?/w==?=' }],
    ['the marks of Base64 run together', { region: 'eu' }, { 'mcp-param-region': '=?base64?=' }],
    ['another number', { count: 42 }, { 'mcp-param-count': '43' }],
    ['a number in words that are none', { count: 42 }, { 'mcp-param-count': '0x2a' }],
    ['a text that looks like a number', { region: '42' }, { 'mcp-param-region': '42.0' }],
    ['a member of a member', { deep: { key: 'a' } }, { 'mcp-param-deep': 'b' }],
    ['one of two', { region: 'eu', count: 1 }, { 'mcp-param-region': 'eu', 'mcp-param-count': '2' }],
  ])('do not agree over %s', (_name, args, headers) => {
    const objection = objectionToParameters({ inputSchema, args, headers });
    expect(objection).toMatchObject({ code: -32_020, message: expect.stringMatching(/^The header Mcp-Param-(Region|Count|Deep) /) });
    expect(objection?.message).not.toMatch(/eu|us\b|42/);
  });

  it.each([undefined, null, 'text', {}, { properties: 'none' }, { properties: { a: null } }])('are none of the schema %j', (schema) => {
    expect(objectionToParameters({ inputSchema: schema, args: { a: 1 }, headers: {} })).toBeUndefined();
  });

  it('come to an end with a schema that does not', () => {
    const endless: Record<string, unknown> = { type: 'object' };
    endless['properties'] = { a: endless };
    expect(objectionToParameters({ inputSchema: endless, args: {}, headers: {} })).toBeUndefined();
  });
});
