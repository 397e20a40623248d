import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { toPublicName } from '../../upstream/pool/names.ts';
import { createScope, matchesPattern, WHOLE_SCOPE, type ScopeRules } from '../scope.ts';

const READ = { name: 'read_file', source: 'built-in', effects: false };
const WRITE = { name: 'write_file', source: 'built-in', effects: true };
const FOREIGN = { name: 'files__read', source: 'files', effects: true };
const OPERATION = { name: 'files/resources/read', source: 'files', effects: false };
const ALL = [READ, WRITE, FOREIGN, OPERATION];

describe('a scope', () => {
  it.each<[string, ScopeRules, readonly object[]]>([
    ['nothing', {}, ALL],
    ['no tool', { tools: [] }, []],
    ['no server', { servers: [] }, []],
    ['a name', { tools: ['read_file'] }, [READ]],
    ['a pattern', { tools: ['files__*'] }, [FOREIGN]],
    ['patterns', { tools: ['read_*', 'files/*'] }, [READ, OPERATION]],
    ['every name', { tools: ['*'] }, ALL],
    ['a server', { servers: ['files'] }, [FOREIGN, OPERATION]],
    ['a server and a pattern', { servers: ['files'], tools: ['*read'] }, [FOREIGN, OPERATION]],
    ['what changes nothing', { readOnly: true }, [READ, OPERATION]],
    ['all at once', { readOnly: true, servers: ['built-in'], tools: ['*_file'] }, [READ]],
    ['a prefix that is no pattern', { tools: ['read'] }, []],
    ['what looks like a regular expression', { tools: ['.*_file', 'read.file'] }, []],
  ])('narrowed to %s allows that', (_name, rules, allowed) => {
    const scope = createScope(rules);
    expect(ALL.filter((tool) => scope.allows(tool))).toEqual(allowed);
  });

  it('is interactive only where the operator says so', () => {
    expect(WHOLE_SCOPE.interactive).toBe(true);
    expect(createScope({}).interactive).toBe(false);
    expect(createScope({ interactive: true }).interactive).toBe(true);
  });

  const FILES = { name: 'files', namespace: 'files' };
  it.each<[string, ScopeRules, boolean]>([
    ['nothing', {}, true],
    ['no tool', { tools: [] }, false],
    ['another server', { servers: ['notes', 'built-in'] }, false],
    ['it', { servers: ['files'] }, true],
    ['what changes nothing', { readOnly: true }, false],
    ['a tool of its own', { tools: ['read_file', 'files__read'] }, true],
    ['its resources', { tools: ['files/resources/read'] }, true],
    ['what begins as its tools do', { tools: ['fi*'] }, true],
    ['what may begin with anything', { tools: ['*_read'] }, true],
    ['tools of others', { tools: ['read_file', 'notes__*', 'file*x', 'files_*'] }, true],
    ['tools of others alone', { tools: ['read_file', 'notes__*', 'files', 'filesystem__*'] }, false],
  ])('narrowed to %s has a server behind devs or not', (_name, rules, isThere) => {
    expect(createScope(rules).serves(FILES)).toBe(isThere);
  });

  it('has a server whose names are cut', () => {
    const namespace = 'n'.repeat(60);
    expect(createScope({ tools: [toPublicName(namespace, 'find')] }).serves({ name: 'files', namespace })).toBe(true);
  });

  it('has every server of whose tools it allows one', () => {
    const names = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 6 });
    const server = fc.record({ name: fc.constantFrom('a', 'b'), namespace: fc.constantFrom('', 'a', 'ab', 'b'.repeat(60)) });
    const rules: fc.Arbitrary<ScopeRules> = fc.record({ tools: fc.array(names, { maxLength: 3 }), servers: fc.subarray(['a', 'b']), readOnly: fc.boolean() }, { requiredKeys: [] });
    fc.assert(
      fc.property(rules, server, fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 8 }), (given, { name, namespace }, ownName) => {
        const scope = createScope(given);
        const tool = { name: toPublicName(namespace, ownName), source: name, effects: true };
        const operation = { name: `${name}/resources/read`, source: name, effects: true };
        if ([tool, operation].some(scope.allows)) expect(scope.serves({ name, namespace })).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never allows more for a rule that is added', () => {
    const names = fc.array(fc.constantFrom('*', 'read_file', 'files*', '*file', 'files/resources/read'), { maxLength: 3 });
    const rules: fc.Arbitrary<ScopeRules> = fc.record(
      { tools: names, servers: fc.subarray(['files', 'built-in']), readOnly: fc.boolean() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(rules, fc.constantFrom<keyof ScopeRules>('tools', 'servers', 'readOnly'), (narrow, dropped) => {
        const wide = Object.fromEntries(Object.entries(narrow).filter(([key]) => key !== dropped));
        for (const tool of ALL) if (createScope(narrow).allows(tool)) expect(createScope(wide).allows(tool)).toBe(true);
      }),
    );
  });
});

describe('a pattern', () => {
  it('says what the same regular expression says', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 12 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (given, name) => {
        expect(matchesPattern(given, name)).toBe(new RegExp(`^${given.replaceAll('*', '.*')}$`).test(name));
      }),
      { numRuns: 2_000 },
    );
  });
});
