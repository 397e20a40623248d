import { DevsError, type FileSlice, type InProcessHandler, type LineSlice, type RawToolResult, type ToolOfKind, type ValidatedArgs } from '@devs/core';
import { type ShownPart, toAnswer } from '../answer.ts';
import { integerArgument, stringArgument } from '../arguments.ts';
import { filePath } from '../path-argument.ts';

/** Longest UTF-8 sequence, in bytes. */
const LONGEST = 4;

/**
 * How many of the bytes to keep so that a page does not end inside a UTF-8 character. All of them, if
 * the end is not the beginning of a character, or if nothing would be left: a page must get on.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back < LONGEST && back < bytes.length; back += 1) {
    const start = bytes.length - back;
    const byte = bytes[start] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? start : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte <= 0xbf;
}

/** What a leading byte promises; 1 for a byte that cannot lead. */
function sequenceLength(byte: number): number {
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 1;
}

/** In bytes. With its notice and marks it fits what one answer of this tool may hold, 512,000. */
const DEFAULT_LIMIT = 500_000;
/** In bytes, before and after a page: who reads in small pages must not be shown a secret in halves. */
const MARGIN = 16_384;
/** Each bad byte becomes three: even then a page and its notice fit the gate's hard cap of 10,485,760. */
const MAX_LIMIT = 3_000_000;

/**
 * Answers the bytes alone; they are decoded and cleaned on their way out. When there is more, a second
 * block says so and names where to go on.
 */
const readFile: InProcessHandler = async (args, { files, signal }) => {
  const path = stringArgument(args, 'path');
  const byLine = isGiven(args, 'startLine', 'lineCount');
  if (byLine && isGiven(args, 'offset', 'limit')) {
    // Not in the schema: APIs of models refuse a tool whose schema has `not` or `oneOf` on its top level.
    throw new DevsError('INVALID_RANGE', {
      sentence: 'Give "offset" and "limit", which count bytes, or "startLine" and "lineCount": not both kinds.',
    });
  }
  if (!byLine) return toPage(await files.readFile(path, bytesAsked(args), signal));
  const range = linesAsked(args);
  return toLinePage(await files.readLines(path, range, signal), range.startLine);
};

function isGiven(args: ValidatedArgs, ...names: readonly string[]): boolean {
  return names.some((name) => args[name] !== undefined);
}

function bytesAsked(args: ValidatedArgs) {
  return { offset: integerArgument(args, 'offset', 0), limit: integerArgument(args, 'limit', DEFAULT_LIMIT), margin: MARGIN };
}

function linesAsked(args: ValidatedArgs) {
  const startLine = integerArgument(args, 'startLine', 1);
  const lineCount = integerArgument(args, 'lineCount', Number.MAX_SAFE_INTEGER);
  return { startLine, lineCount, limit: DEFAULT_LIMIT, margin: MARGIN };
}

function toPage(slice: FileSlice): RawToolResult {
  const { bytes, offset, limit, size } = slice;
  // Less than was asked for: the file ends here, whatever its size was when it was opened.
  if (bytes.length < limit || offset + bytes.length >= size) return toAnswer(partOf(slice));
  const kept = wholeCharacters(bytes);
  const next = offset + kept;
  return toAnswer(partOf(slice, kept), `[${describe(slice, kept)}. ${goOn('offset', next)} for more.]`);
}

function toLinePage(slice: LineSlice, startLine: number): RawToolResult {
  const { bytes, offset, lines, size } = slice;
  if (lines === 0 && bytes.length > 0) return toPartOfLine(slice, startLine);
  const next = startLine + lines;
  if (bytes.length === 0 || offset + bytes.length >= size) return toAnswer(partOf(slice));
  const returned = lines === 1 ? `line ${String(startLine)}` : `lines ${String(startLine)} to ${String(next - 1)}`;
  return toAnswer(partOf(slice), `[Returned ${returned}. ${goOn('startLine', next)} for more.]`);
}

/** A line too long for one page goes on by bytes: no line number leads into it. */
function toPartOfLine(slice: LineSlice, line: number): RawToolResult {
  const kept = wholeCharacters(slice.bytes);
  const rest = goOn('offset', slice.offset + kept);
  const after = `or "startLine": ${String(line + 1)} for what follows it`;
  return toAnswer(partOf(slice, kept), `[${describe(slice, kept)}: line ${String(line)} is longer than that. ${rest} for the rest of it, ${after}.]`);
}

/** The first bytes of a page, and what stands around the page. */
function partOf({ bytes, surroundings }: FileSlice, kept = bytes.length): ShownPart {
  const { start, encoding } = surroundings;
  return { bytes: surroundings.bytes, shown: { start, end: start + kept }, encoding };
}

function describe({ offset, size }: FileSlice, length: number): string {
  return `Returned ${String(length)} bytes from offset ${String(offset)}, of ${String(size)} in all`;
}

function goOn(argument: string, next: number): string {
  return `Call read_file with "${argument}": ${String(next)}`;
}

export const readFileTool: ToolOfKind<'in-process'> = {
  definition: {
    name: 'read_file',
    title: 'Read a file',
    description:
      'Returns the content of one regular file of the project: all of it, a range of bytes, or a range of lines. ' +
      'A long one comes in pages: a second text block then names the offset or the line at which to go on.',
    inputSchema: {
      type: 'object',
      properties: {
        path: filePath,
        // No defaults in here: a client that fills them in would always ask for both kinds at once.
        offset: {
          type: 'integer',
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'First byte to return, counted from 0. At most the size of the file. Default: 0.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `Most bytes to return. Default: ${String(DEFAULT_LIMIT)}.`,
        },
        startLine: {
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'First line to return, counted from 1, instead of "offset". Default, with "lineCount": 1.',
        },
        lineCount: {
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: `Most lines to return, instead of "limit". Default: as many as ${String(DEFAULT_LIMIT)} bytes hold.`,
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
