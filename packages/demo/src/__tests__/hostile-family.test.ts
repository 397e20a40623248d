import { describe, expect, it } from '@jest/globals';
import type { AgentLogEntry } from '@devs/core';
import { CALL, IN_TIME, say, type Behaviour } from '../hostile-family/behaviour.ts';
import { BEHAVIOURS } from '../hostile-family/behaviours.ts';
import { judgeServer, serverAttacks, SHOWN } from '../server-attacks.ts';

describe('what the demo says of a hostile server', () => {
  const behaviour: Behaviour = { name: 'some', title: 'does something', provoke: CALL, must: IN_TIME, act: {} };
  const listing: Behaviour = { ...behaviour, provoke: { method: 'tools/list', params: {} } };
  const call = (code: string | null) => ({ id: 'call-1', code }) as AgentLogEntry;
  const held = { held: true, saw: JSON.stringify(say('x')) };

  it('is said of servers that there are, each once', () => {
    expect(SHOWN.filter((name) => !BEHAVIOURS.has(name))).toEqual([]);
    expect(new Set(SHOWN).size).toBe(SHOWN.length);
  });

  it.each([
    ['a part of them', false, SHOWN.length],
    ['with --all: every one but the honest', true, BEHAVIOURS.size - 1],
  ])('shows %s', (_, isAll, count) => {
    expect(serverAttacks(isAll).flatMap(({ attacks }) => attacks)).toHaveLength(count);
  });

  // A demo that cannot fail shows nothing.
  it.each([
    ['what did not become what it must', behaviour, { witnessed: { held: false, saw: 'a secret' }, call: call(null) }, { held: false, stoppedBy: 'nothing: a secret', callId: 'call-1' }],
    ['a call that is not in the log', behaviour, { witnessed: held, call: undefined }, { held: false, stoppedBy: 'it is not in the log', callId: null }],
    ['a call that was refused', behaviour, { witnessed: held, call: call('UPSTREAM_LOST') }, { held: true, stoppedBy: 'UPSTREAM_LOST', callId: 'call-1' }],
    ['a call that was answered', behaviour, { witnessed: held, call: call(null) }, { held: true, stoppedBy: 'answered in time, and so was the next call', callId: 'call-1' }],
    ['an answer without what it must not hold', { ...behaviour, never: ['x'] }, { witnessed: held, call: call(null) }, { held: true, stoppedBy: 'none of it reached the client', callId: 'call-1' }],
    ['a list, which is no call', listing, { witnessed: held, call: undefined }, { held: true, stoppedBy: 'answered in time, and so was the next call', callId: null }],
  ])('%s', (_, of, seen, finding) => {
    expect(judgeServer(of, seen)).toEqual(finding);
  });
});
