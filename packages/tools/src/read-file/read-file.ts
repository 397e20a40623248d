import type { FileSlice, InProcessHandler, ToolRegistration } from '@devs/core';
import { toAnswer } from '../answer.ts';
import { integerArgument, stringArgument } from '../arguments.ts';
import { wholeCharacters } from './character-boundary.ts';

const DEFAULT_LIMIT = 512_000;
/** Each bad byte becomes three: even then a page and its notice fit the gate's hard cap of 10,485,760. */
const MAX_LIMIT = 3_000_000;

/**
 * Answers the bytes alone; they are decoded and cleaned on their way out. When there is more, a second
 * block says so and names the next offset.
 */
const readFile: InProcessHandler = async (args, { files, signal }) => {
  const offset = integerArgument(args, 'offset', 0);
  const limit = integerArgument(args, 'limit', DEFAULT_LIMIT);
  const slice = await files.readFile(stringArgument(args, 'path'), { offset, limit }, signal);
  // Less than was asked for: the file ends here, whatever its size was when it was opened.
  const ends = slice.bytes.length < limit || offset + slice.bytes.length >= slice.size;
  if (ends) return toAnswer(slice.bytes);
  const kept = slice.bytes.subarray(0, wholeCharacters(slice.bytes));
  return toAnswer(kept, describeRest(slice, offset + kept.length));
};

function describeRest({ offset, size }: FileSlice, next: number): string {
  const returned = `${String(next - offset)} bytes from offset ${String(offset)}, of ${String(size)} in all`;
  return `[Returned ${returned}. Call read_file with "offset": ${String(next)} for more.]`;
}

export const readFileTool: ToolRegistration = {
  definition: {
    name: 'read_file',
    title: 'Read a file',
    description:
      'Returns the content of one regular file of the project. A long file comes in pages: a second text block ' +
      'then names the offset at which to go on.',
    inputSchema: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          minLength: 1,
          maxLength: 4_096,
          description: 'The file: relative to the project folder, or absolute inside it.',
        },
        offset: {
          type: 'integer',
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          description: 'First byte to return, counted from 0. At most the size of the file.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          default: DEFAULT_LIMIT,
          description: 'Most bytes to return.',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  handler: readFile,
  effects: false,
  labels: ['private'],
  source: 'built-in',
};
