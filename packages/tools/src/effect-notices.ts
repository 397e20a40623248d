import { describeEffects, type ProjectEffects, type RawContent } from '@devs/core';

/** Names what devs has moved aside and put back: git, editors or package managers of the user would have obeyed it. */
export function effectNotices(effects: ProjectEffects): readonly RawContent[] {
  return describeEffects(effects).map((sentence) => effectNotice(`[devs: ${sentence}]`));
}

/** Said also where the output is withheld. */
export function effectNotice(text: string): RawContent {
  return { type: 'notice', text, tellsEffect: true };
}
