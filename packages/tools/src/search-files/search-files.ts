import { compilePattern, DevsError, PatternRefused, type InProcessHandler, type LinearPattern, type SearchedLine, type ToolOfKind } from '@devs/core';
import { toAnswer } from '../answer.ts';
import { stringArgument } from '../arguments.ts';
import { placePath } from '../path-argument.ts';
import { describeSearch } from './describe-search.ts';
import { Hits } from './hits.ts';

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
