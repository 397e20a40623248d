import { compilePattern, DevsError, type InProcessHandler, type LinearPattern, PatternRefused, type SearchedLine, type SearchReport, type ToolOfKind } from '@devs/core';
import { toAnswer } from '../answer.ts';
import { stringArgument } from '../arguments.ts';
import { countOf } from '../count-of.ts';
import { placePath } from '../path-argument.ts';
import { Hits } from './hits.ts';

const NARROW = 'Narrow "pattern", "path" or "glob" to see more';

/** What the caller must know to read the lines rightly: that there are none, that there are more, what was left out. */
export function describeSearch(report: SearchReport, hits: Pick<Hits, 'lines' | 'end'>, glob?: string): string | undefined {
  const nothing = hits.lines.length === 0 ? describeNothing(report, glob) : undefined;
  const sentences = [describeEnd(report, hits), nothing, describeGaps(report)];
  const said = sentences.filter((sentence) => sentence !== undefined);
  return said.length === 0 ? undefined : `[${said.map((sentence) => `${sentence}.`).join(' ')}]`;
}

function describeEnd({ cut }: SearchReport, { lines, end }: Pick<Hits, 'lines' | 'end'>): string | undefined {
  if (end === 'work') return 'Ended early: the pattern takes too much work on these files. Use a simpler one, or fewer files';
  switch (cut) {
    case 'enough':
      return `Cut after ${countOf(lines.length, 'line', 'lines')}. ${NARROW}`;
    case 'entries':
      return `Ended early: there are more files and folders, or deeper ones, than one search looks at. Give a "path"`;
    case 'bytes':
      return `Ended early: there is more text than one search reads. ${NARROW}`;
    case 'rules':
      return 'Ended early: holding the names against "glob" and .gitignore takes too much work. Give a "path"';
    default:
      return undefined;
  }
}

/** A glob that fits no file says nothing about the text: "no line fits" would read as if it were nowhere. */
function describeNothing({ files, binary, ignored }: SearchReport, glob: string | undefined): string {
  const left = ignored === 0 ? '' : `; .gitignore leaves ${countOf(ignored, 'file or folder', 'files and folders')} out`;
  const isGlobAtFault = glob !== undefined && files + binary === 0;
  return `${isGlobAtFault ? 'No file that was looked at fits "glob"' : `No line fits in ${countOf(files, 'text file', 'text files')}`}${left}`;
}

function describeGaps({ binary, unreadable, partial }: SearchReport): string | undefined {
  const gaps = [
    binary > 0 ? `${countOf(binary, 'binary file', 'binary files')} passed over` : undefined,
    unreadable > 0 ? `${countOf(unreadable, 'file or folder', 'files and folders')} could not be read` : undefined,
    partial > 0 ? `${countOf(partial, 'file', 'files')} too long, or with too long a line, searched in part` : undefined,
  ].filter((gap) => gap !== undefined);
  return gaps.length === 0 ? undefined : `Not searched: ${gaps.join('; ')}`;
}

/** Answers one line a hit, as `path:line:text`; then what was not searched, and why. */
const searchFiles: InProcessHandler = async (args, { files, view, signal }) => {
  const hits = new Hits();
  const pattern = compile(stringArgument(args, 'pattern'), hits);
  const path = args['path'] === undefined ? '.' : stringArgument(args, 'path');
  const glob = args['glob'] === undefined ? undefined : stringArgument(args, 'glob');
  const onLine = (line: SearchedLine) => hits.look(line, pattern);
  const report = await files.searchFiles(path, { ...(glob === undefined ? {} : { glob }), view, onLine, signal });
  return toAnswer(hits.lines.join('\n'), describeSearch(report, hits, glob));
};

function compile(source: string, hits: Hits): LinearPattern {
  try {
    return compilePattern(source, {
      spend: (steps) => {
        hits.spend(steps);
      },
    });
  } catch (cause) {
    if (!(cause instanceof PatternRefused)) throw cause;
    throw new DevsError('PATTERN_REFUSED', { sentence: `The pattern cannot be used: ${cause.reason}.`, cause });
  }
}

export const searchFilesTool: ToolOfKind<'in-process'> = {
  definition: {
    name: 'search_files',
    title: 'Search in files',
    description:
      'Finds the lines of text files that fit a regular expression: a file, or all files below a directory but .git ' +
      'and what .gitignore leaves out. One hit a line, as path:line:text, the path relative to the project folder. A ' +
      'name with unusual characters or a ":" is shown as a JSON string; long lines are cut around the hit. Links are ' +
      'not followed.',
    inputSchema: {
      type: 'object',
      properties: {
        pattern: {
          type: 'string',
          minLength: 1,
          maxLength: 1_000,
          description:
            'A JavaScript regular expression for one line as read_file shows it; upper and lower case differ. No back references, ' +
            'no lookbehind, and lookahead only right after a leading ^.',
        },
        path: placePath('The file or directory', ' What it names is searched even if .gitignore leaves it out.'),
        glob: {
          type: 'string',
          minLength: 1,
          maxLength: 256,
          description:
            'Only files that fit: *.ts by name at any depth; with a "/", such as src/**/*.{ts,tsx}, by path below "path". ' +
            'If "path" is a file, by its name. Knows * ? [a-z] ** {a,b}; braces without a comma are themselves, and ".." is refused.',
        },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  handler: searchFiles,
  effects: false,
  labels: ['private'],
  source: 'built-in',
};
