import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TOOL_SETTINGS } from '../../config/tool-settings.ts';
import { DevsError } from '../../errors.ts';
import { isOffered, ToolRegistry } from '../ToolRegistry.ts';
import type { ToolExecutionContext, ToolRegistration } from '../types.ts';

const context: ToolExecutionContext = { projectRoot: '/project', agentId: 'a', turnIndex: 0, phaseId: 'build', epicId: 'epic-1' };

function tool(name: unknown, changes: Partial<ToolRegistration> = {}): ToolRegistration {
  return {
    definition: { name: name as string, description: 'x', inputSchema: { type: 'object' } },
    handler: () => Promise.resolve(''),
    effects: false,
    labels: [],
    source: 'built-in',
    ...changes,
  };
}

describe('ToolRegistry', () => {
  it('is not changed by what becomes of the registration afterwards', () => {
    const registry = new ToolRegistry();
    const allowedPhases = ['plan'];
    const registration = tool('a', { allowedPhases });
    registry.register(registration);
    allowedPhases.push('build');
    Object.assign(registration.definition, { description: 'changed' });
    expect(registry.listToolsForContext(context)).toEqual([]);
    expect(registry.getTool('a')?.definition.description).toBe('x');
  });

  it('keeps the order of registration, the same for everyone', () => {
    const registry = new ToolRegistry();
    for (const name of ['b', 'a', '10', '9']) registry.register(tool(name));
    expect(registry.getToolNames()).toEqual(['b', 'a', '10', '9']);
    expect(registry.listTools().map(({ name }) => name)).toEqual(['b', 'a', '10', '9']);
    expect(registry.listToolsForContext(context).map(({ name }) => name)).toEqual(['b', 'a', '10', '9']);
  });

  it('gives a tool by its name, frozen, its schema compiled', () => {
    const registry = new ToolRegistry();
    const registered = registry.register(tool('a', { timeoutMs: 5 }));
    expect(registry.getTool('a')).toBe(registered);
    expect(registered).toMatchObject({ name: 'a', timeoutMs: 5 });
    expect(registered.schema.check({})).toEqual({ args: {}, paths: [] });
    expect(Object.isFrozen(registered)).toBe(true);
  });

  it.each(['a', 'A.b-c_9', 'constructor', '__proto__', 'toString', 'x'.repeat(128)])('takes the name %s', (name) => {
    const registry = new ToolRegistry();
    expect(registry.getTool(name)).toBeUndefined();
    registry.register(tool(name));
    expect(registry.getTool(name)?.name).toBe(name);
  });

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['129 characters', 'x'.repeat(129)],
    ['a space', 'a b'],
    ['a newline behind', 'a\n'],
    ['a slash', 'a/b'],
    ['another alphabet', 'а'],
    ['a NUL', 'a\u0000'],
    ['undefined in part', undefined + ' '],
  ])('refuses a name with %s', (_name, name) => {
    const register = () => new ToolRegistry().register(tool(name));
    expect(register).toThrow(DevsError);
    expect(register).toThrow(/^TOOL_NAME_REFUSED/);
  });

  it('refuses a name that is taken, and keeps the tool that has it', () => {
    const registry = new ToolRegistry();
    const first = registry.register(tool('a'));
    expect(() => registry.register(tool('a', { source: 'evil' }))).toThrow(/TOOL_NAME_REFUSED: A tool called "a" is registered already/);
    expect(registry.getTool('a')).toBe(first);
  });

  it('forgets a tool, and its name is free again', () => {
    const registry = new ToolRegistry();
    registry.register(tool('a'));
    expect([registry.unregister('a'), registry.unregister('a')]).toEqual([true, false]);
    expect([registry.getTool('a'), registry.getToolNames()]).toEqual([undefined, []]);
    expect(registry.register(tool('a', { source: 'another' })).source).toBe('another');
  });

  it.each<[string, object]>([
    ['a hidden character in its description', { description: 'a\u202eb' }],
    ['a hidden character in a key', { inputSchema: { type: 'object', properties: { 'a\u200b': {} } } }],
    ['a hidden character in an annotation', { annotations: { title: '\u{e0041}' } }],
    ['a key that reaches a prototype', { annotations: JSON.parse('{"__proto__":{}}') }],
    ['more than is honest', { description: 'x'.repeat(300_000) }],
  ])('refuses a foreign definition with %s', (_name, changes) => {
    const registration = tool('a', { definition: { name: 'a', inputSchema: { type: 'object' }, ...changes } });
    expect(() => new ToolRegistry().register({ ...registration, authorship: 'foreign' })).toThrow(/^TOOL_SCHEMA_REFUSED/);
  });

  it('refuses a schema that does not compile, and registers nothing', () => {
    const registry = new ToolRegistry();
    const bad = tool('a', { definition: { name: 'a', description: '', inputSchema: { type: 'object', nonsense: 1 } } });
    expect(() => registry.register(bad)).toThrow(/^TOOL_SCHEMA_REFUSED/);
    expect(registry.getToolNames()).toEqual([]);
  });

  it('gives each tool what the configuration says about it', () => {
    const settings = { ...DEFAULT_TOOL_SETTINGS, validation: { mode: 'lenient' } } as const;
    const registry = new ToolRegistry({ settingsFor: (name) => (name === 'a' ? settings : DEFAULT_TOOL_SETTINGS) });
    const schema = { type: 'object', properties: { n: { type: 'number' } } };
    const [a, b] = ['a', 'b'].map((name) => registry.register(tool(name, { definition: { name, inputSchema: schema } })));
    expect([a?.settings, b?.settings]).toEqual([settings, DEFAULT_TOOL_SETTINGS]);
    expect(a?.schema.check({ n: '5' })).toMatchObject({ args: { n: 5 }, received: { n: '5' } });
    expect(b?.schema.check({ n: '5' })).toHaveProperty('refusal');
  });

  it('is strict where nothing is said', () => {
    expect(new ToolRegistry().register(tool('constructor')).settings).toEqual(DEFAULT_TOOL_SETTINGS);
  });

  it('shares nothing with another', () => {
    new ToolRegistry().register(tool('a'));
    expect(new ToolRegistry().getTool('a')).toBeUndefined();
  });
});

describe('a tool that cannot be registered', () => {
  const bad = (name: string) => tool(name, { source: 'files', definition: { name, inputSchema: { type: 'object', minProperties: -1 } } });
  const reason = 'TOOL_SCHEMA_REFUSED: The schema cannot be used: "/minProperties" must be a whole number, 0 or more.';

  it('is disabled alone, and the registry says why', () => {
    const registry = new ToolRegistry();
    const outcomes = [tool('a'), bad('b'), tool('c')].map((registration) => registry.tryRegister(registration));
    const refused = { name: 'b', source: 'files', code: 'TOOL_SCHEMA_REFUSED', reason };
    expect(outcomes).toMatchObject([{ tool: { name: 'a' } }, { refused }, { tool: { name: 'c' } }]);
    expect(registry.getToolNames()).toEqual(['a', 'c']);
    expect(registry.listRefused()).toEqual([refused]);
  });

  it('is no longer refused once it is registered, or gone', () => {
    const registry = new ToolRegistry();
    for (const name of ['a', 'b', 'c']) registry.tryRegister(bad(name));
    registry.register(tool('a'));
    registry.unregister('b');
    expect(registry.listRefused().map(({ name }) => name)).toEqual(['c']);
  });

  it('does not stand for the tool that has its name', () => {
    const registry = new ToolRegistry();
    registry.register(tool('a'));
    expect(registry.tryRegister(tool('a'))).toMatchObject({ refused: { code: 'TOOL_NAME_REFUSED' } });
    expect(registry.listRefused()).toEqual([]);
  });

  it('keeps its words short, and its kind few', () => {
    const registry = new ToolRegistry();
    for (let index = 0; index < 1_100; index += 1) registry.tryRegister(tool(`${'x'.repeat(300)}${index}`));
    for (let index = 0; index < 1_100; index += 1) registry.noteRefused({ name: `n${index}`, source: 's', code: 'TOOL_SCHEMA_REFUSED', reason: 'r'.repeat(1_000) });
    const refused = registry.listRefused();
    expect(refused).toHaveLength(1_000);
    for (const { name, reason: said } of refused) expect(name.length <= 200 && said.length <= 500).toBe(true);
  });

  it('is refused, not thrown, whatever it is made of', () => {
    const registry = new ToolRegistry({ settingsFor: () => { throw new Error('no settings'); } });
    expect(registry.tryRegister(tool('a'))).toMatchObject({ refused: { name: 'a', code: 'TOOL_SCHEMA_REFUSED' } });
  });
});

describe('phases and epics', () => {
  it.each<[string, Partial<ToolRegistration>, boolean]>([
    ['absent lists admit all', {}, true],
    ['an empty list of phases admits nobody', { allowedPhases: [] }, false],
    ['an empty list of epics admits nobody', { allowedEpics: [] }, false],
    ['a phase of the list', { allowedPhases: ['plan', 'build'] }, true],
    ['another phase', { allowedPhases: ['plan'] }, false],
    ['a part of a phase', { allowedPhases: ['build-2', 'buil'] }, false],
    ['an epic of the list', { allowedEpics: ['epic-1'] }, true],
    ['another epic', { allowedEpics: ['epic-2'] }, false],
    ['a phase of the list, an epic not', { allowedPhases: ['build'], allowedEpics: ['epic-2'] }, false],
  ])('%s', (_name, changes, expected) => {
    const registry = new ToolRegistry();
    const registered = registry.register(tool('a', changes));
    expect(isOffered(registered, context)).toBe(expected);
    expect(registry.listToolsForContext(context)).toEqual(expected ? [registered] : []);
    expect(registry.listTools()).toEqual([registered]);
  });

  it('a caller who claims nothing is in no phase', () => {
    const registered = new ToolRegistry().register(tool('a', { allowedPhases: ['build'] }));
    expect(isOffered(registered, { phaseId: '', epicId: '' })).toBe(false);
  });
});
