import type { Glance } from './glance.ts';
import type { Seams } from './seams.ts';

/** What a change is counted under, `<step>:<rule>` in the report, and the text that takes the place. Empty: it is deleted. */
export interface Change {
  readonly by: string;
  readonly rule: string;
  /** Keyed digest of what is replaced, for the operator who finds that it is no secret. Never leaves the gate but for the log. */
  readonly fingerprint?: string;
  /** Places of `by` where something was taken out. Where `by` is empty there is one in any case. */
  readonly seams?: Seams;
}

/**
 * Takes down what a step changes, from left to right, none over another. Units are UTF-16. It makes the new text,
 * and where a text has to be found again in its source, it also remembers what stood where.
 */
export interface Rewriter {
  replace(start: number, end: number, change: Change): void;
}

export type TextStepName =
  | 'html'
  | 'terminal-controls'
  | 'invisibles'
  | 'secrets'
  | 'tags'
  | 'triggers'
  | 'links';

/** One step for one text. Pure: the same text is always changed in the same way, and clean text not at all. */
export interface TextStep {
  readonly name: TextStepName;
  /** The text is well formed. Linear in its length, whatever it holds. `glance` is of this text, and shared by all steps that see it. */
  rewrite(text: string, rewriter: Rewriter, glance: Glance): void;
  /** The same step for the value of a member of this name, where a name says what its value is. Absent or undefined: it says nothing. */
  readonly forMember?: (name: string) => TextStep | undefined;
}
