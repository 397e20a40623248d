import fs from 'node:fs';
import path from 'node:path';
import type { StoredRecord } from '../chain/record.ts';
import { AsyncOpenParts } from '../disposal.ts';
import { openExportSource } from '../verify/export-source.ts';
import { toPruning, type Pruning } from '../verify/facts.ts';
import { openLogFile } from '../verify/open-log-file.ts';
import { isFault, readHeader } from '../verify/read-header.ts';
import { SourceFailure, type RecordSource } from '../verify/record-source.ts';
import { joinSources } from '../verify/series-source.ts';
import { openSqliteSource } from '../verify/sqlite-source.ts';
import { defaultFolder } from './archive-folder.ts';

/**
 * Opens files that are parts of one log, in whatever order they are named.
 * @throws DevsError `STATE_UNUSABLE` or `LOG_NOT_FOUND` when one cannot be read
 */
export async function openLogFiles(files: readonly string[]): Promise<RecordSource> {
  await using opened = new AsyncOpenParts();
  const parts: { readonly source: RecordSource; readonly first: number }[] = [];
  for (const file of files) {
    const source = opened.use(await openLogFile(file));
    parts.push({ source, first: files.length === 1 ? 1 : await firstOf(source) });
  }
  opened.keep();
  const sources = parts.toSorted((one, other) => one.first - other.first || Number(one.source.isWhole) - Number(other.source.isWhole)).map(({ source }) => source);
  const [only] = sources;
  return only !== undefined && sources.length === 1 ? only : joinSources(sources);
}

/**
 * Opens a log and, before it, the archives that took what was pruned from it.
 * @param folder where the archives lie; by default where devs puts them
 * @throws DevsError `STATE_UNUSABLE` or `LOG_NOT_FOUND` when the log cannot be read
 */
export async function openLogWithArchives(file: string, folder = defaultFolder(file)): Promise<RecordSource> {
  // The log first: an archive is there before what it holds leaves the log.
  const log = openSqliteSource({ file });
  const prunings = await readPrunings(log);
  if (prunings.length === 0) return log;
  const archives = prunings.map(({ archive }) => path.join(folder, path.basename(archive.file)));
  const missing = archives.filter((archive) => !isFile(archive));
  // Only what follows without a gap: the rest is said to be missing.
  const usable = archives.slice(archives.findLastIndex((archive) => missing.includes(archive)) + 1);
  const sources = await Promise.all(usable.map(async (archive) => openExportSource({ file: archive, isCompressed: true })));
  return joinSources([...sources, log], missing);
}

/** A pipe in the place of an archive is none. */
function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

async function readPrunings(source: RecordSource): Promise<readonly Pruning[]> {
  const prunings: Pruning[] = [];
  try {
    for await (const batch of source.facts()) prunings.push(...batch.flatMap((record) => pruningOf(record) ?? []));
  } catch (cause) {
    // What cannot be read now cannot be read later either, and then it is said.
    if (!(cause instanceof SourceFailure)) throw cause;
  }
  return prunings;
}

function pruningOf({ header: text, seq }: StoredRecord): Pruning | undefined {
  const header = readHeader(text, seq);
  return isFault(header) || header.kind !== 'audit.pruned' ? undefined : toPruning(header);
}

async function firstOf(source: RecordSource): Promise<number> {
  try {
    for await (const batch of source.records()) {
      const [first] = batch;
      if (first !== undefined) return first.seq;
    }
  } catch (cause) {
    if (!(cause instanceof SourceFailure)) throw cause;
  }
  return Number.MAX_SAFE_INTEGER;
}
