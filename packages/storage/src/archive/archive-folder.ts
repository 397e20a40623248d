import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { syncFolder } from '../heads/private-file.ts';
import { ArchiveFailure } from './archive-failure.ts';

/** Where archives go when nobody says otherwise. */
export function defaultFolder(log: string): string {
  return path.join(path.dirname(log), 'archives');
}

/** What it is called says what is in it, and of which log. */
export function archiveName(log: string, { from, upTo }: { readonly from: number; readonly upTo: number }): string {
  return `${path.basename(log)}.${from}-${upTo}.jsonl.gz`;
}

/** Makes the folder for its owner alone. @throws ArchiveFailure when others may look into it: archives hold what agents read */
export function prepareFolder(folder: string): void {
  withFolder(folder, () => {
    makeFolder(folder);
    check(folder, fs.lstatSync(folder));
  });
}

/** Whether `prepareFolder` can do its work. Changes nothing. @throws ArchiveFailure as it does */
export function examineFolder(folder: string): void {
  withFolder(folder, () => {
    const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (stats !== undefined) check(folder, stats);
    // With a dot behind it what lies above is not only there, but a folder.
    const written = stats === undefined ? path.dirname(folder) : folder;
    fs.accessSync(`${written}${path.sep}.`, fs.constants.W_OK | fs.constants.X_OK);
  });
}

function withFolder(folder: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof ArchiveFailure) throw cause;
    throw new ArchiveFailure(`The archive folder ${folder} cannot be created or written`, cause);
  }
}

function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  fs.mkdirSync(folder, { mode: 0o700 });
  syncFolder(path.dirname(folder));
}

function check(folder: string, stats: fs.Stats): void {
  if (!stats.isDirectory()) throw new ArchiveFailure(`The archive folder ${folder} is not a folder, or is a link to one. Name the folder itself.`);
  if (process.getuid !== undefined && stats.uid !== process.getuid()) throw new ArchiveFailure(`The archive folder ${folder} belongs to another user.`);
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new ArchiveFailure(`The archive folder ${folder} is accessible to other users. Run chmod 700 on it.`);
  }
}

/** An archive of this log that begins at a record. */
export interface FoundArchive {
  readonly file: string;
  readonly upTo: number;
}

/** Archives that begin at a record which is still in the log: made by a run that ended before the records left. */
export function findUnused(log: string, folder: string, first: number): readonly FoundArchive[] {
  const start = `${path.basename(log)}.${first}-`;
  return list(folder).flatMap((name) => {
    const upTo = name.startsWith(start) ? /^(\d{1,15})\.jsonl\.gz$/.exec(name.slice(start.length))?.[1] : undefined;
    return upTo === undefined ? [] : [{ file: path.join(folder, name), upTo: Number(upTo) }];
  });
}

const DRAFT = '.draft';

/** A name that no other run has. */
export function draftName(log: string, id: string): string {
  return `${draftStart(log)}${id}${DRAFT}`;
}

/** Of this very log: others of its name may be archived into the same folder just now. */
function draftStart(log: string): string {
  return `${path.basename(log)}.${createHash('sha256').update(path.resolve(log)).digest('hex').slice(0, 16)}.`;
}

/** What runs have left that ended while they wrote. To be called while no other run of this log can be at work. */
export function removeDrafts(log: string, folder: string): void {
  const start = draftStart(log);
  const drafts = list(folder).filter((name) => name.startsWith(start) && /^[0-9a-f-]{36}\.draft$/.test(name.slice(start.length)));
  for (const name of drafts) fs.rmSync(path.join(folder, name), { force: true });
}

/** Nothing where there is no folder, or none that can be looked into: whoever writes to it says so. */
function list(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
