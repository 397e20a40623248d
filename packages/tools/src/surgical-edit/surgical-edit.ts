import { DevsError, type InProcessHandler, type ToolRegistration } from '@devs/core';
import { toAnswer } from '../answer.ts';
import { integerArgument, stringArgument } from '../arguments.ts';
import { filePath } from '../path-argument.ts';
import { showPath } from '../show-path.ts';
import { describeMiss, lineOf } from './near-miss.ts';
import { findOccurrences, type Occurrences } from './occurrences.ts';
import { applyTo, lengthOf, type Replacement } from './replacement.ts';
import { unifiedDiff } from './unified-diff.ts';

const MAX_OLD_CHARACTERS = 1_048_576;
const MAX_NEW_CHARACTERS = 10_485_760;
const MAX_REPLACEMENTS = 100_000;
/** In bytes. No file that devs edits is larger, so nothing larger is put together. */
const MAX_RESULT_BYTES = 268_435_456;
/** Lines that a refusal names. */
const NAMED_LINES = 5;

interface Wish extends Pick<Replacement, 'wanted' | 'by'> {
  /** How many times the text must be there. */
  readonly expected: number;
}

/** Replaces the text byte for byte, and answers what that changed, as a unified diff. */
const surgicalEdit: InProcessHandler = async (args, { files, signal }) => {
  const path = stringArgument(args, 'path');
  const wish = {
    wanted: encode(stringArgument(args, 'oldText')),
    by: encode(stringArgument(args, 'newText')),
    expected: integerArgument(args, 'expectedReplacements', 1),
  };
  if (Buffer.compare(wish.wanted, wish.by) === 0) throw refused('oldText and newText are the same.');
  const { replacement } = await files.editFile(path, (bytes) => edit(bytes, wish), signal);
  const diff = unifiedDiff(showPath(path), replacement);
  return toAnswer(diff.bytes, diff.isCut ? describeCut(wish) : undefined);
};

function encode(text: string): Uint8Array {
  // It would become U+FFFD, which is another text than the one that was asked for.
  if (!text.isWellFormed()) throw new DevsError('CONTENT_REFUSED');
  return new TextEncoder().encode(text);
}

function edit(bytes: Uint8Array, { wanted, by, expected }: Wish): { content: Uint8Array; replacement: Replacement } {
  const found = findOccurrences(bytes, wanted, expected);
  if (found.count === 0) throw refused(`oldText is not in the file. ${describeMiss(bytes, wanted)}`);
  if (found.count !== expected) throw refused(describeCount(bytes, found, expected));
  const replacement = { bytes, wanted, by, offsets: found.offsets };
  if (lengthOf(replacement) > MAX_RESULT_BYTES) throw new DevsError('FILE_TOO_LARGE');
  return { content: applyTo(replacement), replacement };
}

function describeCount(bytes: Uint8Array, { offsets, count }: Occurrences, expected: number): string {
  const lines = offsets.slice(0, NAMED_LINES).map((offset) => String(lineOf(bytes, offset)));
  const where = `${lines.join(', ')}${count > lines.length ? ', ...' : ''}`;
  const times = `oldText is in the file ${timesOf(count)}, not ${timesOf(expected)} (at line ${where})`;
  const all = count > MAX_REPLACEMENTS ? '' : `, or expectedReplacements: ${String(count)}`;
  return `${times}. Give more of the text around the right one${all}.`;
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${String(count)} times`;
}

function refused(problem: string): DevsError {
  return new DevsError('EDIT_REFUSED', { sentence: `Nothing was changed: ${problem}` });
}

function describeCut({ expected }: Wish): string {
  return `[The edit was made ${timesOf(expected)}. Not all of it is shown here: the diff is too long.]`;
}

export const surgicalEditTool: ToolRegistration = {
  definition: {
    name: 'surgical_edit',
    title: 'Edit a file',
    description:
      'Replaces an exact text in a file of the project, and returns the change as a unified diff. The text must be ' +
      'in the file exactly as often as expected, white space and line endings included; else nothing is changed. ' +
      'All of the edit is made or none, and not if the file changes meanwhile. Protected files cannot be edited.',
    inputSchema: {
      type: 'object',
      properties: {
        path: filePath,
        oldText: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_OLD_CHARACTERS,
          description: 'The text to replace, exactly as it is in the file. No pattern: every character stands for itself.',
        },
        newText: {
          type: 'string',
          maxLength: MAX_NEW_CHARACTERS,
          description: 'The text in its place, as it is. Empty: the old text is removed.',
        },
        expectedReplacements: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_REPLACEMENTS,
          default: 1,
          description: 'How many times the old text is in the file, counted from the left without overlaps.',
        },
      },
      required: ['path', 'oldText', 'newText'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  handler: surgicalEdit,
  effects: true,
  labels: ['private'],
  source: 'built-in',
};
