import { describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../audit/events.ts';
import { ToolRegistry } from '../ToolRegistry.ts';
import { validateToolArgs } from '../validate-tool-args.ts';

function createSetting() {
  const registry = new ToolRegistry();
  registry.register({
    definition: { name: 'read_file', description: '', inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
    handler: () => Promise.resolve(''),
    effects: false,
    labels: [],
    source: 'built-in',
  });
  const events: AuditEvent[] = [];
  return { registry, events, auditLogger: { log: (event: AuditEvent) => void events.push(event) } };
}

describe('validateToolArgs', () => {
  it('gives the arguments, and tells nothing', () => {
    const { registry, events, auditLogger } = createSetting();
    expect(validateToolArgs('read_file', { path: 'a' }, registry, auditLogger)).toEqual({ valid: true, args: { path: 'a' }, paths: [] });
    expect(events).toEqual([]);
  });

  it('tells TOOL_ARG_VALIDATION_FAILURE with the place', () => {
    const { registry, events, auditLogger } = createSetting();
    const outcome = validateToolArgs('read_file', { path: 1 }, registry, auditLogger);
    expect(outcome).toMatchObject({ valid: false, error: { code: 'TOOL_ARG_VALIDATION_FAILURE', sentence: 'Argument "/path" must be string.' } });
    expect(events).toEqual([
      {
        event: 'TOOL_ARG_VALIDATION_FAILURE',
        toolName: 'read_file',
        code: 'TOOL_ARG_VALIDATION_FAILURE',
        pointer: '/path',
        error: 'TOOL_ARG_VALIDATION_FAILURE: Argument "/path" must be string.',
      },
    ]);
  });

  it('tells UNKNOWN_TOOL of a name that nobody has', () => {
    const { registry, events, auditLogger } = createSetting();
    expect(validateToolArgs('constructor', {}, registry, auditLogger)).toMatchObject({ valid: false, error: { code: 'UNKNOWN_TOOL' } });
    expect(events).toEqual([{ event: 'UNKNOWN_TOOL', toolName: 'constructor', code: 'UNKNOWN_TOOL' }]);
  });

  it.each<[string, unknown]>([['read_file', { path: 1 }], ['none', {}]])('does not throw with a tap that does (%s)', (name, args) => {
    const { registry } = createSetting();
    const log = () => {
      throw new Error('tap');
    };
    expect(validateToolArgs(name, args, registry, { log }).valid).toBe(false);
  });

  it('tells all that is wrong, and hands over the part of the schema that repairs it', () => {
    const { registry, auditLogger } = createSetting();
    const outcome = validateToolArgs('read_file', { pth: 'my secret' }, registry, auditLogger);
    if (outcome.valid) throw new Error('it passed');
    const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    expect(outcome.error).toMatchObject({
      sentence: 'The arguments object must have required property "path".',
      suggestion: `Correct what is named and call again. Schema: ${JSON.stringify(schema)}`,
      repair: { errors: [{ pointer: '', expected: 'the property "path"', received: 'object' }], schema },
    });
    expect(JSON.stringify(outcome.error)).not.toContain('my secret');
  });

  it('stays within what a model can read', () => {
    const { registry, auditLogger } = createSetting();
    const names = Array.from({ length: 200 }, (_, index) => `name ${index} ${'x '.repeat(100)}`);
    const properties = Object.fromEntries(names.map((name) => [name, { enum: Array.from({ length: 4 }, (_, index) => `${name}${index}`) }]));
    const inputSchema = { type: 'object', properties, required: names.slice(0, 100) };
    registry.register({ definition: { name: 'big', inputSchema }, handler: () => Promise.resolve(''), effects: false, labels: [], source: 'x' });
    const outcome = validateToolArgs('big', {}, registry, auditLogger);
    if (outcome.valid) throw new Error('it passed');
    const { sentence, suggestion = '', repair } = outcome.error;
    expect(sentence).toMatch(/There are more\.$/);
    expect(sentence.length).toBeLessThan(2_100);
    expect(suggestion.length).toBeLessThan(1_100);
    expect(JSON.stringify(repair).length).toBeLessThan(8_000);
  });
});
