import { DevsError, type ExistingContent, type InProcessHandler, type TextView, type ToolOfKind } from '@devs/core';
import { booleanArgument, stringArgument } from '../arguments.ts';
import { countOf } from '../count-of.ts';
import { heldMarks, MARK_START, marksIn } from '../marks.ts';
import { filePath } from '../path-argument.ts';
import { showPath } from '../show-path.ts';
import { tryView } from '../try-view.ts';

/** There is nothing to edit around. */
const NEW_FILE_SUGGESTION = 'Leave that place empty and ask the user to fill it in, or set "force" to write the mark as text.';
const SUGGESTION = 'Use surgical_edit around it, which keeps what is not shown, or set "force" to write it all the same.';

/**
 * Says no to a write that would destroy what the agent was not shown: it cannot put back what it never saw.
 * @throws DevsError REDACTED_IN_WRITE, OVERWRITE_REFUSED
 */
export function judgeOverwrite(content: string, existing: ExistingContent, view: (bytes: Uint8Array) => TextView): void {
  if (existing === 'too-large') throw overwriteRefused('is too large to be looked at, so it may hold more than you were shown');
  if (existing === 'none') {
    refuseMarks(content, new Set(), NEW_FILE_SUGGESTION);
    return;
  }
  const shown = tryView(view, existing);
  if (shown === undefined) throw overwriteRefused('takes too long to look through, so it may hold more than you were shown');
  refuseMarks(content, content.includes(MARK_START) ? heldMarks(shown) : new Set(), SUGGESTION);
  const count = shown.alterationCount;
  if (count > 0) throw overwriteRefused(`is not as you were shown it: ${countOf(count, 'span is', 'spans are')} masked or altered there`);
  // Its text is shown as it is, and yet other bytes are behind it: UTF-16, or a byte order mark.
  if (Buffer.byteLength(shown.text) !== existing.length) throw overwriteRefused('is not plain UTF-8, which would be written in its place');
}

function refuseMarks(content: string, held: ReadonlySet<string>, suggestion: string): void {
  const foreign = marksIn(content).find(({ text }) => !held.has(text));
  if (foreign === undefined) return;
  throw new DevsError('REDACTED_IN_WRITE', {
    sentence: `Nothing was written: the content holds ${foreign.text}, which stands for something that is not shown.`,
    suggestion,
  });
}

function overwriteRefused(problem: string): DevsError {
  return new DevsError('OVERWRITE_REFUSED', { sentence: `Nothing was written: the file ${problem}.`, suggestion: SUGGESTION });
}

const MAX_CHARACTERS = 10_485_760;

/** Writes the text as UTF-8, nothing added. Answers one sentence, with the path as it was given. */
const writeFile: InProcessHandler = async (args, { files, view, signal }) => {
  const path = stringArgument(args, 'path');
  const content = stringArgument(args, 'content');
  // It would become U+FFFD in the file, and the agent would be told that its text was written.
  if (!content.isWellFormed()) throw new DevsError('CONTENT_REFUSED');
  const bytes = new TextEncoder().encode(content);
  const judge = (existing: ExistingContent) => {
    judgeOverwrite(content, existing, view);
  };
  const isForced = booleanArgument(args, 'force', false);
  const { created } = await files.writeFile(path, { bytes, ...(isForced ? {} : { judge }), signal });
  return `${created ? 'Created' : 'Replaced'} ${showPath(path)} (${countOf(bytes.length, 'byte', 'bytes')}).`;
};

export const writeFileTool: ToolOfKind<'in-process'> = {
  definition: {
    name: 'write_file',
    title: 'Write a file',
    description:
      'Creates a file of the project, or replaces all of its content; missing folders are made. All of it is written ' +
      'or nothing. A file of which parts were masked or altered when you read it is not replaced: use surgical_edit. ' +
      'Files that configure devs, git, editors and package managers are protected.',
    inputSchema: {
      type: 'object',
      properties: {
        path: filePath,
        content: {
          type: 'string',
          maxLength: MAX_CHARACTERS,
          description: 'The whole new content, as text. It is written as UTF-8.',
        },
        force: {
          type: 'boolean',
          default: false,
          description: 'Replace such a file all the same, and write marks of devs as text.',
        },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  handler: writeFile,
  effects: true,
  labels: [],
  source: 'built-in',
};
