import { isRecord } from '@devs/core';
import { parseConfigText } from './parse-text.ts';
import { showEntries, type ShownEntry } from './show.ts';

/** One key of which two files say different things. */
export interface Change {
  readonly key: string;
  /** As a person may see it; undefined where it is not set. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What two lists of entries say differently, in the order of the keys. */
export function compareEntries(before: readonly ShownEntry[], after: readonly ShownEntry[]): readonly Change[] {
  const [old, now] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [one, other] = [old.get(key), now.get(key)];
    return one?.text === other?.text ? [] : [{ key, before: one?.shown, after: other?.shown }];
  });
}

/** The entries of a file's bytes; undefined when they are not valid JSON. For showing alone: nothing of it is applied. */
export async function readEntries(bytes: Uint8Array): Promise<readonly ShownEntry[] | undefined> {
  const parsed = await parseConfigText(bytes);
  return parsed.ok && isRecord(parsed.value) ? showEntries(parsed.value) : undefined;
}

export function describeChange({ key, before = 'not set', after = 'not set' }: Change): string {
  return before === after ? `${key} has changed` : `${key} ${before} -> ${after}`;
}

function byKey(entries: readonly ShownEntry[]): ReadonlyMap<string, ShownEntry> {
  return new Map(entries.map((entry) => [entry.key, entry]));
}
