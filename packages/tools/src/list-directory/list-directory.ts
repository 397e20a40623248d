import { type DirectoryEntry, type DirectoryListing, type EntryKind, type InProcessHandler, quoteName, type ToolOfKind } from '@devs/core';
import { toAnswer } from '../answer.ts';
import { booleanArgument, stringArgument } from '../arguments.ts';
import { countOf } from '../count-of.ts';
import { placePath } from '../path-argument.ts';

const MAX_ENTRIES = 1_000;

const MARKS: Readonly<Record<EntryKind, string>> = { file: '', directory: '/', link: '@', other: '?' };

/** Answers one path a line, relative to the directory, with a mark for what is no file. */
const listDirectory: InProcessHandler = async (args, { files, signal }) => {
  const path = args['path'] === undefined ? '.' : stringArgument(args, 'path');
  const recursive = booleanArgument(args, 'recursive', false);
  const listing = await files.listDirectory(path, { recursive, limit: MAX_ENTRIES, signal });
  return toAnswer(listing.entries.map(toLine).join('\n'), describeRest(listing));
};

function toLine({ path, kind }: DirectoryEntry): string {
  return `${quoteName(path)}${MARKS[kind]}`;
}

function describeRest({ entries, truncated }: DirectoryListing): string | undefined {
  if (truncated) return `[Cut after ${countOf(entries.length, 'entry', 'entries')}. List a subdirectory to see more.]`;
  return entries.length === 0 ? '[The directory is empty.]' : undefined;
}

export const listDirectoryTool: ToolOfKind<'in-process'> = {
  definition: {
    name: 'list_directory',
    title: 'List a directory',
    description:
      'Lists a directory of the project, sorted, one path a line, relative to that directory. A directory ends in ' +
      '"/", a symbolic link in "@", anything else that is no file in "?". A name with unusual characters is shown ' +
      `as a JSON string. At most ${String(MAX_ENTRIES)} entries are shown.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: placePath('The directory'),
        recursive: {
          type: 'boolean',
          default: false,
          description: 'Also list what the directories below hold. Links are not followed.',
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  handler: listDirectory,
  effects: false,
  labels: ['private'],
  source: 'built-in',
};
