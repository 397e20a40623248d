import type { ConfinementReport } from '@devs/core';
import type { JudgedServer } from './doctor-servers.ts';

export interface JudgedTool {
  readonly name: string;
  /** `confined`: in a box. `capabilities`: devs's own code. `off`: nothing is allowed yet. `refused`: no box can be had. `unsafe`: it runs without one. */
  readonly state: 'confined' | 'capabilities' | 'off' | 'refused' | 'unsafe';
  readonly detail: string;
  /** What the operator can do about it. */
  readonly fix?: string;
}

export interface Judged {
  /** Of the boxes that tools and servers run in, as they were just tried out. */
  readonly boxes: ConfinementReport;
  /** devs's own. */
  readonly tools: readonly JudgedTool[];
  readonly servers: readonly JudgedServer[];
}

/** What was found, by name: every sentence of the summary is made of these lists. */
export interface DoctorSummary {
  /** Nothing that devs starts would run in no box, and nothing would be refused. */
  readonly confined: boolean;
  /** What would run in no box, with all that the user may do. */
  readonly unconfined: readonly string[];
  /** What would not run. */
  readonly refused: readonly string[];
  readonly sentences: readonly string[];
}

/** Says what was checked and no more: of a server at a URL, and of what a server in no box does, devs knows nothing. */
export function summarize({ boxes, tools, servers }: Judged): DoctorSummary {
  const toolsThat = (state: JudgedTool['state']) => tools.filter((tool) => tool.state === state).map(({ name }) => name);
  const serversThat = (confinement: string) => servers.filter((server) => server.confinement === confinement).map(({ name }) => `the server ${JSON.stringify(name)}`);
  const confined = boxes.usable && boxes.enforcement.guarantees.length > 0 ? [...toolsThat('confined'), ...serversThat(boxes.name)] : [];
  const unconfined = [...toolsThat('unsafe'), ...serversThat('none')];
  const refused = [...toolsThat('refused'), ...serversThat('refused')];
  const sentences = [
    ...say('In sandboxes', confined, `.${describeGaps(boxes)}`),
    ...say('Without a sandbox, with your own permissions', unconfined, '.'),
    ...say('Refused', refused, '; see the reasons above.'),
    ...say('Not confined by devs, which only connects to it', serversThat('elsewhere'), '.'),
  ];
  return { confined: unconfined.length === 0 && refused.length === 0, unconfined, refused, sentences };
}

function say(what: string, names: readonly string[], end: string): readonly string[] {
  return names.length === 0 ? [] : [`${what} (${String(names.length)}): ${names.join(', ')}${end}`];
}

/** What a box was found not to hold, although it may be used. */
function describeGaps({ guarantees }: ConfinementReport): string {
  const gaps = guarantees.filter(({ state }) => state !== 'enforced').map(({ guarantee, state }) => `${guarantee} is ${state}`);
  return gaps.length === 0 ? '' : ` There, ${gaps.join(', and ')}.`;
}
