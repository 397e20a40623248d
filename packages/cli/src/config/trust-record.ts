import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DevsError, isRecord } from '@devs/core';
import { isNewer } from '../state/newer-version.ts';
import { writePrivateFile } from '../state/private-file.ts';
import { checkStateIfThere, prepareState, type StateFolder } from '../state/state-folder.ts';
import { readServers, type TrustedServer } from './trusted-servers.ts';
import { MAX_CONFIG_BYTES, readSmallFile, type FileReading } from '../state/read-file.ts';

/** What somebody looked at and trusted. */
export interface TrustRecord {
  /** Real path of the file. */
  readonly path: string;
  /** Hexadecimal, of `bytes`. */
  readonly sha256: string;
  readonly bytes: Buffer;
  /** ISO 8601, UTC. */
  readonly trustedAt: string;
  /** What its servers run in the root. Absent where an earlier devs, which did not note it by server, has written the record. */
  readonly servers?: readonly TrustedServer[] | undefined;
}

/** The bytes in base64, and room for the longest path and those of the files: see `listTrustedServers`. */
const MAX_RECORD_BYTES = MAX_CONFIG_BYTES * 8;

/**
 * The record of a file; undefined when there is none. Throws `CONFIG_INVALID` for one that somebody else
 * may have written, or that is broken: to go on without it could be weaker than what was trusted.
 */
export async function readTrustRecord(state: StateFolder, file: string): Promise<TrustRecord | undefined> {
  await checkStateIfThere(state);
  const place = recordPlace(state, file);
  const reading = await readSmallFile(place, MAX_RECORD_BYTES);
  if (reading.kind === 'absent') return undefined;
  if (reading.kind === 'unusable') throw unusable(place, reading.problem);
  checkOurs(place, reading);
  if (isNewer(parseJson(reading.bytes.toString('utf8')))) throw newer(place);
  const record = toRecord(reading.bytes);
  if (record === undefined || record.path !== file) throw unusable(place, 'is broken');
  return record;
}

/** In place at once and whole, or not at all, and durable. Throws `STATE_UNUSABLE` when it cannot be written. */
export async function writeTrustRecord(state: StateFolder, record: TrustRecord): Promise<void> {
  await prepareState(state);
  const place = recordPlace(state, record.path);
  const before = await readSmallFile(place, MAX_RECORD_BYTES);
  if (before.kind === 'read' && isNewer(parseJson(before.bytes.toString('utf8')))) throw newer(place);
  const draft = `${place}.${randomUUID()}`;
  const { bytes, ...facts } = record;
  try {
    await writePrivateFile(draft, `${JSON.stringify({ version: 1, ...facts, bytes: bytes.toString('base64') })}\n`);
    await rename(draft, place);
    await syncFolder(state.path);
  } catch (cause) {
    throw new DevsError('STATE_UNUSABLE', { sentence: `The trust record ${JSON.stringify(place)} cannot be written.`, cause });
  } finally {
    await rm(draft, { force: true });
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function recordPlace(state: StateFolder, file: string): string {
  return path.join(state.path, `trusted-${sha256Of(Buffer.from(file)).slice(0, 32)}.json`);
}

function checkOurs(place: string, { uid, mode }: FileReading & { kind: 'read' }): void {
  if (process.getuid !== undefined && uid !== process.getuid()) throw unusable(place, 'belongs to another user');
  if ((mode & 0o077) !== 0) throw unusable(place, 'is accessible to other users');
}

function toRecord(text: Buffer): TrustRecord | undefined {
  const value = parseJson(text.toString('utf8'));
  if (!isRecord(value) || value['version'] !== 1) return undefined;
  const { path: file, sha256, bytes: encoded, trustedAt } = value;
  const servers = readServers(value['servers']);
  if (servers === 'broken' || typeof file !== 'string' || typeof encoded !== 'string' || typeof trustedAt !== 'string') return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return sha256 === sha256Of(bytes) && !Number.isNaN(Date.parse(trustedAt)) ? { path: file, sha256, bytes, trustedAt, servers } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  await handle.sync();
}

function unusable(place: string, problem: string): DevsError {
  const sentence = `The trust record ${JSON.stringify(place)} ${problem}. Inspect it, delete it, and trust the file again: devs config trust`;
  return new DevsError('CONFIG_INVALID', { sentence });
}

function newer(place: string): DevsError {
  const sentence = `The trust record ${JSON.stringify(place)} was written by a newer devs, and is left unchanged. Start that devs, or update this one.`;
  return new DevsError('CONFIG_INVALID', { sentence });
}
