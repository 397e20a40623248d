import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DevsError } from '../../errors.ts';
import { ANONYMOUS, parseClaims, parseContext } from '../context.ts';

const defaults = { agentId: 'anonymous', turnIndex: 0, phaseId: '', epicId: '' };

describe('parseClaims', () => {
  it.each<[string, unknown, object]>([
    ['nothing', undefined, defaults],
    ['an empty object', {}, defaults],
    ['null claims', { agentId: null, turnIndex: null, phaseId: null, epicId: null }, defaults],
    ['empty ids', { agentId: '', phaseId: '', taskId: '' }, { ...defaults, taskId: '' }],
    ['all of them', { agentId: 'a', turnIndex: 9, phaseId: 'p', epicId: 'e', taskId: 't' }, { agentId: 'a', turnIndex: 9, phaseId: 'p', epicId: 'e', taskId: 't' }],
    ['200 characters', { agentId: 'é'.repeat(200) }, { ...defaults, agentId: 'é'.repeat(200) }],
    ['the last turn', { turnIndex: Number.MAX_SAFE_INTEGER }, { ...defaults, turnIndex: Number.MAX_SAFE_INTEGER }],
    ['other scripts and spaces', { agentId: '日本 agent 😀' }, { ...defaults, agentId: '日本 agent 😀' }],
  ])('takes %s', (_name, value, expected) => {
    expect(parseClaims(value)).toEqual(expected);
    expect(Object.isFrozen(parseClaims(value))).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'must be an object'],
    ['a list', [], 'must be an object'],
    ['text', 'x', 'must be an object'],
    ['an unknown key', { agentID: 'x' }, 'has a key that is not known'],
    ['a key of a prototype', JSON.parse('{"__proto__":{"agentId":"x"}}'), 'has a key that is not known'],
    ['projectRoot, which is not the caller’s', { projectRoot: '/' }, 'has a key that is not known'],
    ['a number for an id', { agentId: 1 }, 'agentId must be a string'],
    ['a long id', { epicId: 'x'.repeat(201) }, 'epicId is longer than 200 characters'],
    ['a control', { phaseId: '\u007f' }, 'phaseId has characters that an id cannot have'],
    ['a lone surrogate', { taskId: '\udc00' }, 'taskId has characters that an id cannot have'],
    ['a tag character', { agentId: 'a\u{e0041}' }, 'agentId has characters that an id cannot have'],
    ['a paragraph separator', { agentId: '\u2029' }, 'agentId has characters that an id cannot have'],
    ['a turn before the first', { turnIndex: -1 }, 'turnIndex must be a whole number, 0 or more'],
    ['half a turn', { turnIndex: 0.5 }, 'turnIndex must be a whole number, 0 or more'],
    ['a turn in words', { turnIndex: '1' }, 'turnIndex must be a whole number, 0 or more'],
  ])('refuses %s', (_name, value, problem) => {
    const parse = () => parseClaims(value);
    expect(parse).toThrow(DevsError);
    expect(parse).toThrow(`CONTEXT_REFUSED: The context of the call ${problem}.`);
  });

  it('gives ids that stay on one line of a log, or none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5 }), (agentId) => {
        try {
          expect(parseClaims({ agentId }).agentId).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u);
        } catch (cause) {
          expect(DevsError.is(cause)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('has defaults that nobody can change', () => {
    expect(ANONYMOUS).toEqual(defaults);
    expect(Object.isFrozen(ANONYMOUS)).toBe(true);
  });
});

describe('parseContext', () => {
  it('copies what it knows and leaves the rest', () => {
    const context = parseContext({ projectRoot: '/project', agentId: 'a', extra: 1 });
    expect(context).toEqual({ ...defaults, projectRoot: '/project', agentId: 'a' });
    expect(Object.isFrozen(context)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no project', {}],
    ['a project that is no text', { projectRoot: 1 }],
    ['a hostile claim', { projectRoot: '/', agentId: '\n' }],
  ])('refuses %s', (_name, value) => {
    expect(() => parseContext(value)).toThrow(/^CONTEXT_REFUSED/);
  });
});
