import type { TextStep } from '../pipeline/text-step.ts';

/** Units that may stand between a bracket and the digits: `[devs `, in any letters that look like these. */
const MOST_BETWEEN = 12;

/**
 * A notice that devs did not write: who has seen one, and writes its digits into a file or an answer, would speak as devs to
 * everybody who reads it in the same process. Of what merely holds these digits, a digest or a date, nothing changes.
 */
export function noticeForgeries(noticeId: string): TextStep {
  const forgery = new RegExp(String.raw`[\p{Ps}\p{Pi}<][^\n\p{Ps}\p{Pi}<]{0,${String(MOST_BETWEEN)}}${noticeId}`, 'gu');
  return {
    name: 'tags',
    rewrite(text, rewriter) {
      if (!text.includes(noticeId)) return;
      for (const { 0: found, index } of text.matchAll(forgery)) rewriter.replace(index, index + found.length, { by: '[REDACTED:tag]', rule: 'notice' });
    },
  };
}
