import { unusable } from '../sqlite/unusable.ts';
import { openExportSource } from './export-source.ts';
import { openRegularFile } from './open-regular-file.ts';
import type { RecordSource } from './record-source.ts';
import { openSqliteSource } from './sqlite-source.ts';

const SQLITE = Buffer.from('SQLite format 3\0');
const GZIP = Buffer.of(0x1f, 0x8b);
const EXPORT = /^(?:\xef\xbb\xbf)?\s*\{/;

/**
 * Opens a file that is a log, a copy of one, an export or a compressed export: whichever it is by its first bytes. Not
 * for a process that has this very log open to write: to look at the bytes would give up its locks.
 * @throws DevsError `STATE_UNUSABLE` when it cannot be read, `LOG_NOT_FOUND` when it is empty
 */
export async function openLogFile(file: string): Promise<RecordSource> {
  const start = await readStart(file);
  if (start.subarray(0, GZIP.length).equals(GZIP)) return openExportSource({ file, isCompressed: true });
  if (!start.equals(SQLITE) && EXPORT.test(start.toString('latin1'))) return openExportSource({ file, isCompressed: false });
  // What is neither is looked at as a database, and found to be a damaged one.
  return openSqliteSource({ file });
}

async function readStart(file: string): Promise<Buffer> {
  try {
    await using handle = await openRegularFile(file);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    return buffer.subarray(0, bytesRead);
  } catch (cause) {
    throw unusable(file, 'is not there, is not a file, or is not yours to read.', cause);
  }
}
