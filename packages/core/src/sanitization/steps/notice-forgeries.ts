import { DISGUISED_DIGIT } from '../../protocol/unit-kinds.ts';
import type { TextStep } from '../pipeline/text-step.ts';

/** Units that may stand between a bracket and the digits: `[devs `, in any letters that look like these. */
const MOST_BETWEEN = 12;
/** Units between the name and the digits, whatever stands before the name: `**devs 48151623:`, `&#91;devs`. */
const MOST_BEHIND = 64;
const NO_WORD = String.raw`[^\p{L}\p{N}]`;
const NO_WORD_ON_LINE = String.raw`[^\p{L}\p{N}\n]`;
const NAME = ['[dD]', '[eE]', '[vV]', '[sS]'].join(`${NO_WORD}{0,3}`);

/**
 * A notice that devs did not write: who has seen one, and writes its digits into a file or an answer, would speak as devs to
 * everybody who reads it in the same process. Of what merely holds these digits, a digest or a date, nothing changes.
 */
export function noticeForgeries(noticeId: string): TextStep {
  const bracketed = String.raw`[\p{Ps}\p{Pi}<][^\n\p{Ps}\p{Pi}<]{0,${String(MOST_BETWEEN)}}`;
  // A view shows `ı` for a digit 1 that may be read as a letter.
  const digits = noticeId.replaceAll('1', '[1ı]');
  const forgery = new RegExp(`(?:${bracketed}|${NAME}${NO_WORD_ON_LINE}{0,${String(MOST_BEHIND)}})${digits}`, 'gu');
  return {
    name: 'tags',
    rewrite(text, rewriter, glance) {
      const view = (glance.kinds & DISGUISED_DIGIT) !== 0 ? glance.view : undefined;
      if (view === undefined && !text.includes(noticeId)) return;
      for (const { 0: found, index } of (view?.text ?? text).matchAll(forgery)) {
        const { start, end } = view?.sourceOf(index, index + found.length) ?? { start: index, end: index + found.length };
        rewriter.replace(start, end, { by: '[REDACTED:tag]', rule: 'notice' });
      }
    },
  };
}
