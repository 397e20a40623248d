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
    expect(validateToolArgs('read_file', { path: 'a' }, registry, auditLogger)).toEqual({ valid: true, args: { path: 'a' } });
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
});
