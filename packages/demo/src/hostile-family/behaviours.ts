import { answerBehaviours } from './answers.ts';
import type { Behaviour } from './behaviour.ts';
import { definitionBehaviours } from './definitions.ts';
import { floodAndLifeBehaviours } from './floods-and-lives.ts';
import { questionBehaviours } from './questions.ts';
import { schemaBehaviours } from './schemas.ts';

/** The family of hostile servers: what each does, and what must become of it. Tests and the demo read the same table. */
export const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map(
  [...answerBehaviours, ...floodAndLifeBehaviours, ...definitionBehaviours, ...schemaBehaviours, ...questionBehaviours].map((behaviour) => [behaviour.name, behaviour]),
);
