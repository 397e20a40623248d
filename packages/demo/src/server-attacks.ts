import type { AgentLogEntry } from '@devs/core';
import type { Attack, AttackGroup, Finding } from './attack.ts';
import type { Behaviour } from './hostile-family/behaviour.ts';
import { BEHAVIOURS } from './hostile-family/behaviours.ts';
import type { Witnessed } from './hostile-family/witness.ts';

/**
 * Without `--all`: of each kind of behaviour the ones that differ in what stops them, and none that takes longer than a
 * person watches. None whose definitions are so large that the pins of the others would wait for them.
 */
export const SHOWN: readonly string[] = [
  'wrong-ids', 'duplicate-answers', 'slow-drip', 'result-is-null', 'deep-answer', 'noise',
  'secret-in-error-data', 'forged-meta', 'notice-in-a-prompt', 'wrong-type-resources-read',
  'log-flood', 'line-of-200-MB', 'dies-at-start', 'crash-mid-answer', 'closes-output', 'deaf',
  'changes-its-description', 'changes-after-a-restart',
  'shadows-a-built-in', 'shadows-another-server', 'shadows-a-resource',
  'hides-in-schema-enum', 'poisoned-description', 'poisoned-prompt',
  'schema-deep-100000', 'schema-doubling', 'schema-slow-pattern', 'schema-file',
  'asks-after-the-answer', 'poisoned-question', 'question-of-another', 'prompt-that-widens', 'asks-for-ever', 'huge-state', 'many-questions',
];
const AT_ONCE = 4;

const family = [...BEHAVIOURS.values()].filter(({ name }) => name !== 'honest');

/** @param isAll every behaviour of the family: some minutes */
export function serverAttacks(isAll: boolean): readonly AttackGroup[] {
  const shown = isAll ? family : family.filter(({ name }) => SHOWN.includes(name));
  const count = isAll ? `all ${family.length}` : `${shown.length} of ${family.length}; --all shows each`;
  return [{ title: `Hostile servers behind devs serve (${count})`, attacks: shown.map(behindDevs), atOnce: AT_ONCE }];
}

function behindDevs(behaviour: Behaviour): Attack {
  return {
    title: behaviour.title,
    run: async (stage) => {
      const witnessed = await stage.witness(behaviour);
      return judgeServer(behaviour, { witnessed, call: await stage.newestCallOf(behaviour.name) });
    },
  };
}

export interface Seen {
  readonly witnessed: Witnessed;
  /** What the log tells of the call that provoked the server. Undefined for lists, which are no calls. */
  readonly call: AgentLogEntry | undefined;
}

/** Held when it became what it must, and a call of it is in the log. */
export function judgeServer({ provoke, never = [] }: Behaviour, { witnessed: { held, saw }, call }: Seen): Finding {
  if (!held) return { held, stoppedBy: `nothing: ${saw.slice(0, 200)}`, callId: call?.id ?? null };
  const isOfLists = provoke.method.endsWith('/list');
  if (call === undefined && !isOfLists) return { held: false, stoppedBy: 'it is not in the log', callId: null };
  const without = never.length > 0 ? 'none of it reached the client' : 'answered in time, and so was the next call';
  return { held, stoppedBy: call?.code ?? without, callId: call?.id ?? null };
}
