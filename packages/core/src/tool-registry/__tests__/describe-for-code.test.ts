import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeTools } from '../describe-for-code.ts';

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required: [...required] }) as never;

describe('describeTools', () => {
  it.each([
    ['read_file', object({ path: { type: 'string' }, limit: { type: 'integer' } }, ['path']), 'tools.read_file({ path: string, limit?: number }): Promise<string>'],
    ['a-b', object({}), "tools['a-b'](): Promise<string>"],
    ['list', object({ all: { type: 'array', items: { type: 'boolean' } }, some: { type: 'array', items: { enum: ['a', 'b'] } } }), "tools.list({ all?: boolean[], some?: ('a' | 'b')[] }): Promise<string>"],
    ['deep', object({ a: object({ b: object({ c: object({}) }) }) }), 'tools.deep({ a?: { b?: { c?: object } } }): Promise<string>'],
    ['odd', object({ 'two words': { type: 'string' }, ok: { anyOf: [] } }), 'tools.odd({ ok?: unknown, ... }): Promise<string>'],
    ['open', { type: 'object' } as never, 'tools.open(): Promise<string>'],
    ['choice', object({ kind: { enum: ['obey me now', 'b'] } }), 'tools.choice({ kind?: unknown }): Promise<string>'],
  ])('shows %s as code calls it', (name, inputSchema, line) => {
    expect(describeTools([{ name, inputSchema }])).toBe(line);
  });

  it.each(['then', 'toJSON', "a'](); evil['", 'a\nb', ''])('leaves out what cannot be called: %j', (name) => {
    expect(describeTools([{ name, inputSchema: object({}) }])).toBe('');
  });

  it('takes no word of a description', () => {
    const described = { name: 'a', description: 'EVIL', inputSchema: { description: 'EVIL', type: 'object', title: 'EVIL', properties: { b: { type: 'string', description: 'EVIL', default: 'EVIL' } } } } as never;
    expect(describeTools([described])).toBe('tools.a({ b?: string }): Promise<string>');
  });

  it('says how many there are beyond its measure', () => {
    const tools = Array.from({ length: 300 }, (_, number) => ({ name: `tool_${number}`, inputSchema: object({ path: { type: 'string' } }) }));
    const lines = describeTools(tools).split('\n');
    expect(lines.at(-1)).toBe(`and ${300 - (lines.length - 1)} more`);
    expect(lines.length).toBeGreaterThan(50);
  });

  it('stays within its measure and its lines, whatever a schema holds', () => {
    const schema = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, fc.anything(), fc.record({ type: fc.constantFrom('object', 'array', 'string', 'x'), properties: fc.dictionary(fc.string(), tie('any')), items: tie('any'), enum: fc.array(fc.string()) }, { requiredKeys: [] })),
    })).any;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), schema), { maxLength: 20 }), (tools) => {
        const text = describeTools(tools.map(([name, inputSchema]) => ({ name, inputSchema: inputSchema as never })));
        expect(text.length).toBeLessThanOrEqual(4_020);
        expect(text).toMatch(/^(?:tools(?:\.[\w$]+|\['[\w.-]+'\])\([\w$?:', |{}[\]().]*\): Promise<string>\n?|and \d+ more)*$/);
      }),
    );
  });
});
