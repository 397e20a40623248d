import { DevsError, type ExistingContent, type TextView } from '@devs/core';
import { countOf } from '../count-of.ts';
import { marksIn } from '../marks.ts';

const SUGGESTION = 'Use surgical_edit around it, which keeps what is not shown, or set "force" to write it all the same.';

/** What is shown of a file that is not there. */
const NOTHING: Pick<TextView, 'text' | 'alterations'> = { text: '', alterations: [] };

/**
 * Says no to a write that would destroy what the agent was not shown: it cannot put back what it never saw.
 * @throws DevsError REDACTED_IN_WRITE, OVERWRITE_REFUSED
 */
export function judgeOverwrite(content: string, existing: ExistingContent, view: (bytes: Uint8Array) => TextView): void {
  if (existing === 'too-large') throw overwriteRefused('is too large to be looked at, so it may hold more than you were shown');
  const { text: shown, alterations } = existing === 'none' ? NOTHING : view(existing);
  const masked = new Set(alterations.map(({ start }) => start));
  const held = new Set(marksIn(shown).filter(({ start }) => !masked.has(start)).map(({ text }) => text));
  const foreign = marksIn(content).find(({ text }) => !held.has(text));
  if (foreign !== undefined) throw redacted(foreign.text);
  if (existing === 'none') return;
  const { length } = alterations;
  if (length > 0) throw overwriteRefused(`is not as you were shown it: ${countOf(length, 'span is', 'spans are')} masked or altered there`);
  // Its text is shown as it is, and yet other bytes are behind it: UTF-16, or a byte order mark.
  if (Buffer.byteLength(shown) !== existing.length) throw overwriteRefused('is not plain UTF-8, which would be written in its place');
}

function redacted(mark: string): DevsError {
  return new DevsError('REDACTED_IN_WRITE', {
    sentence: `Nothing was written: the content holds ${mark}, which stands for something that is not shown.`,
    suggestion: SUGGESTION,
  });
}

function overwriteRefused(problem: string): DevsError {
  return new DevsError('OVERWRITE_REFUSED', { sentence: `Nothing was written: the file ${problem}.`, suggestion: SUGGESTION });
}
