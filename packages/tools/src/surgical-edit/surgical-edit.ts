import { DevsError, type InProcessHandler, type ToolOfKind } from '@devs/core';
import { toAnswer } from '../answer.ts';
import { integerArgument, stringArgument } from '../arguments.ts';
import { countOf } from '../count-of.ts';
import { filePath } from '../path-argument.ts';
import { showPath } from '../show-path.ts';
import { editRefused } from './edit-refused.ts';
import type { Wish } from './find-matches.ts';
import { planEdit } from './plan-edit.ts';
import { MAX_REPLACEMENTS, timesOf } from './times.ts';
import { unifiedDiff } from './unified-diff.ts';

const MAX_OLD_CHARACTERS = 1_048_576;
const MAX_NEW_CHARACTERS = 10_485_760;

/** Replaces a text in what the agent is shown of a file, and answers what that changed, as a unified diff. */
const surgicalEdit: InProcessHandler = async (args, { files, view, signal }) => {
  const path = stringArgument(args, 'path');
  const wish = {
    wanted: wellFormed(stringArgument(args, 'oldText')),
    by: wellFormed(stringArgument(args, 'newText')),
    expected: integerArgument(args, 'expectedReplacements', 1),
  };
  if (wish.wanted === wish.by) throw editRefused('oldText and newText are the same.');
  const { replacement, lines, removed } = await files.editFile(path, (bytes) => planEdit(bytes, wish, view), signal);
  const diff = unifiedDiff(showPath(path), replacement, lines);
  const notices = [...(removed > 0 ? [describeRemoved(removed)] : []), ...(diff.isCut ? [describeCut(wish)] : [])];
  return toAnswer(diff.text, notices.length > 0 ? notices.join('\n') : undefined);
};

function wellFormed(text: string): string {
  // It would become U+FFFD, which is another text than the one that was asked for.
  if (!text.isWellFormed()) throw new DevsError('CONTENT_REFUSED');
  return text;
}

/** Whoever did not mean to should know at once: the file's history may be the only other place that has it. */
function describeRemoved(count: number): string {
  return `[${countOf(count, 'masked place was', 'masked places were')} removed with the text around.]`;
}

function describeCut({ expected }: Wish): string {
  return `[The edit was made ${timesOf(expected)}. Not all of it is shown here: the diff is too long.]`;
}

export const surgicalEditTool: ToolOfKind<'in-process'> = {
  definition: {
    name: 'surgical_edit',
    title: 'Edit a file',
    description:
      'Replaces an exact text in a file of the project, and returns the change as a unified diff. The text must be ' +
      'in the file, as read_file shows it, exactly as often as expected, white space and line endings included; else ' +
      'nothing is changed. A mark such as [REDACTED:...] that is in both texts keeps what is behind it. ' +
      'Nothing is changed either if the file changes meanwhile, or is protected.',
    inputSchema: {
      type: 'object',
      properties: {
        path: filePath,
        oldText: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_OLD_CHARACTERS,
          description: 'The text to replace, exactly as it is shown. No pattern: every character stands for itself.',
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
