import { describe, expect, it } from '@jest/globals';
import { parseClaims } from '@devs/core';
import { AgentNames } from '../agent-names.ts';

const named = (name: unknown) => new AgentNames().next({ key: {}, name }).agentId;

describe('the agent of a call that claims nothing', () => {
  it('has the name of its client, the number of its session and its turn', () => {
    const names = new AgentNames();
    const [one, other] = [{}, {}];
    const said = [one, one, other, one].map((key) => names.next({ key, name: 'claude-code' }));
    expect(said).toEqual([
      { agentId: 'claude-code#1', turnIndex: 0, isNamed: true },
      { agentId: 'claude-code#1', turnIndex: 1, isNamed: true },
      { agentId: 'claude-code#2', turnIndex: 0, isNamed: true },
      { agentId: 'claude-code#1', turnIndex: 2, isNamed: true },
    ]);
  });

  it('has turns of its own beside others of one principal', () => {
    const names = new AgentNames();
    const key = {};
    const said = ['a', 'b', 'a', 'b'].map((name) => names.next({ key, name, idleMs: 1_000 }));
    expect(said.map(({ agentId, turnIndex }) => [agentId, turnIndex])).toEqual([['a#1', 0], ['b#2', 0], ['a#1', 1], ['b#2', 1]]);
  });

  it.each([
    ['within the window', 1_000, 'a#1', 1],
    ['after it', 1_001, 'a#2', 0],
  ])('goes on %s', (_, laterMs, agentId, turnIndex) => {
    let now = 0;
    const names = new AgentNames(() => now);
    const key = {};
    names.next({ key, name: 'a', idleMs: 1_000 });
    now += laterMs;
    expect(names.next({ key, name: 'a', idleMs: 1_000 })).toMatchObject({ agentId, turnIndex });
  });

  it('is one for as long as a connection is there', () => {
    let now = 0;
    const names = new AgentNames(() => now);
    const key = {};
    names.next({ key, name: 'a' });
    now += 1e12;
    expect(names.next({ key, name: 'a' })).toMatchObject({ agentId: 'a#1', turnIndex: 1 });
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'anonymous#0'],
    ['an empty text', '', 'anonymous#0'],
    ['no text', { a: 1 }, 'anonymous#0'],
    ['what nobody sees', '\u200b\u202e \n', 'anonymous#0'],
    ['a number of its own', 'claude-code#7', 'claude-code 7#1'],
    ['a number behind what looks like the sign', 'claude\uff031 claude\ufe5f1 claude\u266f1', 'claude 1 claude 1 claude 1#1'],
    ['lines', 'a\nb\u2028c\r\u0000d', 'a b c d#1'],
    ['another direction', 'a\u202eb', 'a b#1'],
    ['half a character', 'a\ud800b', 'a b#1'],
    ['length', `${'👍'.repeat(70)}`, `${'👍'.repeat(64)}#1`],
    ['a great length', 'x'.repeat(1e6), `${'x'.repeat(64)}#1`],
    ['other letters', '日本のエージェント', '日本のエージェント#1'],
  ])('is safe to log where its client calls itself %s', (_, name, agentId) => {
    expect(named(name)).toBe(agentId);
    expect(parseClaims({ agentId }).agentId).toBe(agentId);
  });

  it('counts the turns of a client without a name too, and no sessions of it', () => {
    const names = new AgentNames();
    const key = {};
    names.next({ key, name: undefined });
    expect(names.next({ key, name: '' })).toEqual({ agentId: 'anonymous#0', turnIndex: 1, isNamed: false });
    expect(names.next({ key: {}, name: 'a' }).agentId).toBe('a#1');
  });

  it('keeps 64 names of one principal, those that were used last', () => {
    const names = new AgentNames();
    const key = {};
    names.next({ key, name: 'first' });
    for (let count = 0; count < 62; count += 1) names.next({ key, name: `n${String(count)}` });
    names.next({ key, name: 'first' });
    names.next({ key, name: 'x' });
    names.next({ key, name: 'y' });
    expect(names.next({ key, name: 'first' })).toMatchObject({ agentId: 'first#1', turnIndex: 2 });
    expect(names.next({ key, name: 'n0' })).toMatchObject({ agentId: 'n0#66', turnIndex: 0 });
  });

  it('is that of the last call where nothing could be read of this one', () => {
    const names = new AgentNames();
    const key = {};
    expect(names.nextOfLast(key)).toMatchObject({ agentId: 'anonymous#0' });
    names.next({ key, name: 'a' });
    expect(names.nextOfLast(key)).toMatchObject({ agentId: 'a#1', turnIndex: 1 });
  });
});
