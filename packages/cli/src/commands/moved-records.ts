import { isRecord } from '@devs/core';
import { openSqliteSource, SourceFailure } from '@devs/storage';

/** What left the log, as the log itself says: its records `from` to `upTo` are in an archive of this name. */
export interface MovedRecords {
  readonly from: number;
  readonly upTo: number;
  /** Without its folder, which is not in the log. Somebody may have written it: to be escaped before it is shown. */
  readonly name: string;
}

/** Oldest first; none of a log that nothing has left, or that cannot be read: `devs logs verify` says that. */
export async function readArchives(file: string): Promise<readonly MovedRecords[]> {
  await using source = openSqliteSource({ file });
  const found: MovedRecords[] = [];
  try {
    for await (const batch of source.facts()) found.push(...batch.flatMap(({ header }) => toMoved(header)));
  } catch (cause) {
    if (!(cause instanceof SourceFailure)) throw cause;
  }
  return found;
}

/** Where records are that have left the log. What tells of the oldest archives may have left it in a later one. */
export function describeMoved(archives: readonly MovedRecords[], first: number, last: number): string {
  const wanted = archives.filter(({ from, upTo }) => from <= last && upTo >= first);
  const before = (wanted[0]?.from ?? last + 1) > first ? ['an archive before those that the log still names'] : [];
  const names = [...wanted.map(({ name }) => name), ...before].join(' and ');
  return `Of these, records ${first} to ${last} have left the log: they are in ${names}.`;
}

function toMoved(text: string): readonly MovedRecords[] {
  const { kind, upTo, records, archive } = parse(text);
  if (kind !== 'audit.pruned' || typeof upTo !== 'number' || typeof records !== 'number') return [];
  return isRecord(archive) && typeof archive['file'] === 'string' ? [{ from: upTo - records + 1, upTo, name: archive['file'] }] : [];
}

/** A header that somebody has broken says nothing. */
function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
