import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { errnoOf } from '@devs/core';
import { toLine } from '../export/line.ts';
import { syncFolder } from '../heads/private-file.ts';
import { openExportSource } from '../verify/export-source.ts';
import type { RecordSource } from '../verify/record-source.ts';
import type { VerifyReport } from '../verify/report.ts';
import { verifyLog } from '../verify/verify-log.ts';
import type { PlannedArchive } from './archive-plan.ts';
import { ArchiveFailure } from './archive-failure.ts';
import { draftName } from './archive-folder.ts';

/** An archive that is on the disk, under a name of its own for as long as the log still has its records. */
export interface Draft {
  readonly file: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** The first record of an archive, and its last one. */
export interface Ends {
  readonly from: number;
  readonly upTo: number;
  /** Of the last one, 64 hexadecimal digits. */
  readonly leaf: string;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

/** Where a draft goes, and what ends the work on it. */
export interface DraftPlace {
  readonly log: string;
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
}

/** Writes records to a new file, compressed, and waits until they are on the disk. @throws ArchiveFailure, or the reason of `signal`; then no file is left */
export async function writeDraft(source: RecordSource, archive: PlannedArchive, place: DraftPlace): Promise<Draft> {
  const file = path.join(place.folder, draftName(place.log, randomUUID()));
  try {
    await using handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    const written = await compress(toLines(source.records(archive), place.signal), handle);
    await handle.sync();
    return { file, ...written };
  } catch (cause) {
    fs.rmSync(file, { force: true });
    place.signal?.throwIfAborted();
    throw new ArchiveFailure('The archive cannot be written', cause);
  }
}

async function compress(lines: AsyncIterable<string>, handle: FileHandle): Promise<Omit<Draft, 'file'>> {
  return await pipeline(lines, createGzip(), async (compressed: AsyncIterable<Buffer>) => store(compressed, handle));
}

async function* toLines(batches: ReturnType<RecordSource['records']>, signal: AbortSignal | undefined): AsyncIterable<string> {
  for await (const batch of batches) {
    signal?.throwIfAborted();
    yield batch.map((record) => `${toLine(record)}\n`).join('');
  }
}

async function store(compressed: AsyncIterable<Buffer>, handle: FileHandle): Promise<Omit<Draft, 'file'>> {
  const digest = createHash('sha256');
  let size = 0;
  for await (const bytes of compressed) {
    digest.update(bytes);
    size += bytes.length;
    await writeAll(handle, bytes);
  }
  return { sha256: digest.digest('hex'), size };
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
}

/** How an archive is read. */
export interface ArchiveReading {
  readonly signal: AbortSignal | undefined;
  /** Told how to ask how far it is. */
  readonly onOpened?: (source: Pick<RecordSource, 'progress'>) => void;
}

/** Reads an archive back from the disk. @throws ArchiveFailure unless it is, to the last byte, what was written, and holds just those records */
export async function checkDraft({ file, sha256, size }: Draft, ends: Ends, reading: ArchiveReading): Promise<void> {
  const read = await digestOf(file);
  if (read.sha256 !== sha256 || read.size !== size) throw new ArchiveFailure('The archive on the disk differs from what devs wrote: the disk is faulty, or someone changed the file.');
  if (!holds(await verifyArchive(file, reading), ends)) throw new ArchiveFailure('The archive does not contain the records that it should. No record was removed from the log.');
}

/** @throws the reason of `signal` */
export async function verifyArchive(file: string, { signal, onOpened }: ArchiveReading): Promise<VerifyReport> {
  await using source = await openExportSource({ file, isCompressed: true });
  onOpened?.(source);
  return await verifyLog(source, signal === undefined ? {} : { signal });
}

/** Whether these records are whole and in order. That they are a part of a log, whose other parts are somewhere else, is no fault. */
export function holds({ verdict, first, last }: VerifyReport, { from, upTo, leaf }: Ends): boolean {
  return (verdict === 'intact' || verdict === 'incomplete') && first?.seq === from && last?.seq === upTo && last.leaf === leaf;
}

async function digestOf(file: string): Promise<Omit<Draft, 'file'>> {
  const digest = createHash('sha256');
  let size = 0;
  const bytesOf: AsyncIterable<Buffer> = fs.createReadStream(file);
  for await (const bytes of bytesOf) {
    digest.update(bytes);
    size += bytes.length;
  }
  return { sha256: digest.digest('hex'), size };
}

/** Gives a draft its name too, on the disk. @throws ArchiveFailure when something of that name is there: nothing is written over */
export function placeDraft({ file }: Draft, target: string): void {
  try {
    // A link, not a rename: that would write over whatever lies there.
    fs.linkSync(file, target);
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') {
      throw new ArchiveFailure(`The file ${JSON.stringify(path.basename(target))} already exists where devs would write the archive. Check what it is, and move it.`);
    }
    throw new ArchiveFailure('The archive cannot be moved to its final name', cause);
  }
  try {
    syncFolder(path.dirname(target));
  } catch (cause) {
    fs.rmSync(target, { force: true });
    throw new ArchiveFailure('The archive cannot be moved to its final name', cause);
  }
}
