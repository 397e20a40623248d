import { DevsError, type ExistingContent, type InProcessHandler, type ToolOfKind } from '@devs/core';
import { booleanArgument, stringArgument } from '../arguments.ts';
import { countOf } from '../count-of.ts';
import { filePath } from '../path-argument.ts';
import { showPath } from '../show-path.ts';
import { judgeOverwrite } from './judge-overwrite.ts';

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
