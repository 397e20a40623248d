import type { SearchReport } from '@devs/core';
import { countOf } from '../count-of.ts';
import type { Hits } from './hits.ts';

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
