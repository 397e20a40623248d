import type { SearchProgress } from '../agent-logs.ts';
import type { LogConnection } from '../database/log-connection.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import { fitsLog, stateOf } from './fits-log.ts';
import { createIndexInMemory, IndexUnfit, isReadOnly, isUnfit, openIndex, openIndexReadOnly, removeIndex } from './index-file.ts';
import { lockIndex } from './index-lock.ts';
import type { SearchIndex } from './search-index.ts';

export interface IndexedLog {
  readonly log: LogConnection;
  /** Of the log. */
  readonly file: string;
  readonly onProgress?: SearchProgress | undefined;
  /** What the file holds is damaged, and it cannot be removed. */
  readonly isFileLost?: boolean;
}

/** Together they have all outcomes of the log, each once. */
export interface UpToDateIndexes extends Disposable {
  readonly newestFirst: readonly SearchIndex[];
}

/** The index of the file; where that cannot be written, the missing part in memory. */
export async function openUpToDate(parts: IndexedLog): Promise<UpToDateIndexes> {
  if (parts.isFileLost === true) return toIndexes([await completeInMemory(parts, undefined)]);
  try {
    return await openLocked(parts);
  } catch (cause) {
    if (!isReadOnly(cause)) throw cause;
    return openInMemory(parts);
  }
}

async function openLocked(parts: IndexedLog): Promise<UpToDateIndexes> {
  const lock = await lockIndex(parts.file);
  try {
    return toIndexes([await openInFile(parts)], lock);
  } catch (cause) {
    lock[Symbol.dispose]();
    throw cause;
  }
}

async function openInFile(parts: IndexedLog): Promise<SearchIndex> {
  try {
    return await openFitting(parts);
  } catch (cause) {
    if (!isUnfit(cause)) throw cause;
    removeIndex(parts.file);
    return openFitting(parts);
  }
}

async function openFitting({ log, file, onProgress }: IndexedLog): Promise<SearchIndex> {
  const index = openIndex(file, await log.read(stateOf));
  return orDispose(index, async () => {
    if (!(await log.read(() => fitsLog(log, index)))) throw new IndexUnfit('is of another log');
    await bringUpToDate(log, index, onProgress);
  });
}

async function openInMemory(parts: IndexedLog): Promise<UpToDateIndexes> {
  const base = await openBase(parts);
  if (base === undefined) return toIndexes([await completeInMemory(parts, undefined)]);
  try {
    return toIndexes([await completeInMemory(parts, base), base]);
  } catch (cause) {
    base[Symbol.dispose]();
    if (!isUnfit(cause)) throw cause;
    return toIndexes([await completeInMemory(parts, undefined)]);
  }
}

/** What is in the file, as far as it is of this log. */
async function openBase({ log, file }: IndexedLog): Promise<SearchIndex | undefined> {
  try {
    const index = openIndexReadOnly(file);
    if (index === undefined || (await log.read(() => fitsLog(log, index)))) return index;
    index[Symbol.dispose]();
    return undefined;
  } catch (cause) {
    if (isUnfit(cause) || isReadOnly(cause)) return undefined;
    throw cause;
  }
}

async function completeInMemory({ log, onProgress }: IndexedLog, base: SearchIndex | undefined): Promise<SearchIndex> {
  const index = createIndexInMemory(base?.readState() ?? (await log.read(stateOf)));
  return orDispose(index, async () => bringUpToDate(log, index, onProgress));
}

async function orDispose(index: SearchIndex, work: () => Promise<void>): Promise<SearchIndex> {
  try {
    await work();
    return index;
  } catch (cause) {
    index[Symbol.dispose]();
    throw cause;
  }
}

function toIndexes(newestFirst: readonly SearchIndex[], lock?: Disposable): UpToDateIndexes {
  return {
    newestFirst,
    [Symbol.dispose]: () => {
      for (const index of newestFirst) index[Symbol.dispose]();
      lock?.[Symbol.dispose]();
    },
  };
}
