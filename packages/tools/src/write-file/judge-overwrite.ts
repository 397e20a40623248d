import { DevsError, type ExistingContent, type TextView } from '@devs/core';
import { countOf } from '../count-of.ts';
import { heldMarks, marksIn } from '../marks.ts';

const SUGGESTION = 'Use surgical_edit around it, which keeps what is not shown, or set "force" to write it all the same.';

/**
 * Says no to a write that would destroy what the agent was not shown: it cannot put back what it never saw.
 * @throws DevsError REDACTED_IN_WRITE, OVERWRITE_REFUSED
 */
export function judgeOverwrite(content: string, existing: ExistingContent, view: (bytes: Uint8Array) => TextView): void {
  if (existing === 'too-large') throw overwriteRefused('is too large to be looked at, so it may hold more than you were shown');
  const shown = existing === 'none' ? undefined : view(existing);
  refuseMarks(content, shown);
  if (existing === 'none' || shown === undefined) return;
  const count = shown.alterationCount;
  if (count > 0) throw overwriteRefused(`is not as you were shown it: ${countOf(count, 'span is', 'spans are')} masked or altered there`);
  // Its text is shown as it is, and yet other bytes are behind it: UTF-16, or a byte order mark.
  if (Buffer.byteLength(shown.text) !== existing.length) throw overwriteRefused('is not plain UTF-8, which would be written in its place');
}

/** Most content holds no mark: only then it matters whether the file holds the same. */
function refuseMarks(content: string, shown: TextView | undefined): void {
  const marks = marksIn(content);
  if (marks.length === 0) return;
  const held = shown === undefined ? new Set() : heldMarks(shown);
  const foreign = marks.find(({ text }) => !held.has(text));
  if (foreign !== undefined) throw redacted(foreign.text);
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
