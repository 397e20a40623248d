import { describe, expect, it } from '@jest/globals';
import type { ConfinementReport, GuaranteeReport } from '@devs/core';
import fc from 'fast-check';
import { summarize, type JudgedTool } from '../commands/doctor-summary.ts';

const GUARANTEES = ['files', 'network', 'processes', 'memory', 'privilege'] as const;

function boxesWith(states: Partial<Record<(typeof GUARANTEES)[number], GuaranteeReport['state']>>, usable = true): ConfinementReport {
  const guarantees = GUARANTEES.map((guarantee) => ({ guarantee, state: states[guarantee] ?? 'enforced', detail: '' }));
  return { name: 'bubblewrap', usable, enforcement: { by: 'bubblewrap', guarantees: guarantees.filter(({ state }) => state === 'enforced').map(({ guarantee }) => guarantee) }, guarantees };
}

const BOXES = boxesWith({});
const NO_BOXES = boxesWith({ files: 'absent', network: 'absent', processes: 'absent', memory: 'absent', privilege: 'absent' }, false);
/** What `sandbox.tools: off` says of itself: usable, since the operator said so, and nothing holds. */
const OFF: ConfinementReport = { ...NO_BOXES, name: 'none', usable: true };

const tool = (name: string, state: JudgedTool['state']): JudgedTool => ({ name, state, detail: '' });
const server = (name: string, confinement: string) => ({ name, confinement, detail: '' });

describe('what devs doctor says of everything together', () => {
  it.each<[string, Parameters<typeof summarize>[0], ReturnType<typeof summarize>]>([
    ['commands in boxes', { boxes: BOXES, tools: [tool('shell_exec', 'confined'), tool('read_file', 'capabilities'), tool('web_fetch', 'off')], servers: [] },
      { confined: true, unconfined: [], refused: [], sentences: ['In sandboxes (1): shell_exec.'] }],
    ['boxes whose memory has no common limit', { boxes: boxesWith({ memory: 'partial' }), tools: [tool('shell_exec', 'confined')], servers: [] },
      { confined: true, unconfined: [], refused: [], sentences: ['In sandboxes (1): shell_exec. There, memory is partial.'] }],
    ['servers in no box below commands that are in one', { boxes: BOXES, tools: [tool('shell_exec', 'confined')], servers: [server('a', 'none'), server('b', 'none'), server('c', 'off')] },
      { confined: false, unconfined: ['the server "a"', 'the server "b"'], refused: [], sentences: ['In sandboxes (1): shell_exec.', 'Without a sandbox, with your own permissions (2): the server "a", the server "b".'] }],
    ['a server in a box, one that is refused and one at a URL', { boxes: BOXES, tools: [], servers: [server('held', 'bubblewrap'), server('lost', 'refused'), server('far', 'elsewhere')] },
      { confined: false, unconfined: [], refused: ['the server "lost"'], sentences: ['In sandboxes (1): the server "held".', 'Refused (1): the server "lost"; see the reasons above.', 'Not confined by devs, which only connects to it (1): the server "far".'] }],
    ['no boxes', { boxes: NO_BOXES, tools: [tool('shell_exec', 'refused')], servers: [] },
      { confined: false, unconfined: [], refused: ['shell_exec'], sentences: ['Refused (1): shell_exec; see the reasons above.'] }],
    ['boxes that hold what they promise and cannot be used', { boxes: boxesWith({}, false), tools: [tool('shell_exec', 'confined')], servers: [] },
      { confined: true, unconfined: [], refused: [], sentences: [] }],
    ['commands that the operator lets run in none, beside a server in one', { boxes: BOXES, tools: [tool('shell_exec', 'unsafe')], servers: [server('held', 'bubblewrap')] },
      { confined: false, unconfined: ['shell_exec'], refused: [], sentences: ['In sandboxes (1): the server "held".', 'Without a sandbox, with your own permissions (1): shell_exec.'] }],
    ['a sandbox that is none', { boxes: OFF, tools: [tool('shell_exec', 'unsafe')], servers: [server('a', 'none')] },
      { confined: false, unconfined: ['shell_exec', 'the server "a"'], refused: [], sentences: ['Without a sandbox, with your own permissions (2): shell_exec, the server "a".'] }],
  ])('%s', (_name, judged, expected) => {
    expect(summarize(judged)).toEqual(expected);
  });

  it('names each thing that is started, refused or connected to in one sentence, and calls all confined only where none is named as open', () => {
    const states = fc.constantFrom('confined', 'capabilities', 'off', 'refused', 'unsafe');
    const confinements = fc.constantFrom('bubblewrap', 'none', 'refused', 'elsewhere', 'off');
    fc.assert(
      fc.property(fc.array(states, { maxLength: 6 }), fc.array(confinements, { maxLength: 6 }), (toolStates, serverStates) => {
        const tools = toolStates.map((state, index) => tool(`tool${String(index)}`, state));
        const servers = serverStates.map((confinement, index) => server(`server${String(index)}`, confinement));
        const { confined, sentences } = summarize({ boxes: BOXES, tools, servers });
        for (const { name, state } of tools) expect(sentences.filter((sentence) => sentence.includes(name))).toHaveLength(['confined', 'refused', 'unsafe'].includes(state) ? 1 : 0);
        for (const { name, confinement } of servers) expect(sentences.filter((sentence) => sentence.includes(name))).toHaveLength(confinement === 'off' ? 0 : 1);
        expect(confined).toBe(![...toolStates, ...serverStates].some((state) => ['refused', 'unsafe', 'none'].includes(state)));
      }),
    );
  });
});
