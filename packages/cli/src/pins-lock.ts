import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { DevsError, isRecord } from '@devs/core';
import { writePrivateFile } from './private-file.ts';

const PATIENCE_MS = 10_000;
const STEP_MS = 20;
/** Held for milliseconds: one that is older was left behind, whoever has the process id now. */
const MOST_AGE_MS = 60_000;

/**
 * Held by the one process that changes the pins. It is made whole or not at all, by a link; one whose process is gone is
 * taken away by whoever holds the right to do so, after another look, so that nobody takes away a new one.
 */
export async function lockPins(file: string): Promise<AsyncDisposable> {
  const draft = `${file}.${randomUUID()}`;
  const mine = `${String(process.pid)} ${randomUUID()}\n`;
  const until = performance.now() + PATIENCE_MS;
  try {
    await writePrivateFile(draft, mine);
    while (!(await tryLink(draft, file))) {
      if (performance.now() > until) throw busy(file);
      await breakStale(file);
      await setTimeout(STEP_MS);
    }
  } catch (cause) {
    // A folder that is full, read-only, or has something else in the lock's place: for its owner to mend, and no fault of devs.
    throw DevsError.is(cause) ? cause : unusable(file, 'cannot be made, so nothing is changed', cause);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  return { [Symbol.asyncDispose]: async () => removeIf(file, mine).catch((cause: unknown) => Promise.reject(unusable(file, 'cannot be taken away', cause))) };
}

async function tryLink(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw cause;
  }
}

async function breakStale(file: string): Promise<void> {
  const found = await readStale(file);
  if (found === undefined) return;
  const right = `${file}.break`;
  try {
    await using _handle = await open(right, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
    await removeIf(file, found);
    await rm(right, { force: true });
  } catch (cause) {
    // Somebody else is at it.
    if (codeOf(cause) !== 'EEXIST') throw cause;
  }
}

/** What it holds, when nobody holds it any more. */
async function readStale(file: string): Promise<string | undefined> {
  try {
    const { mtimeMs } = await stat(file);
    const text = await readFile(file, 'utf8');
    const isOld = Date.now() - mtimeMs > MOST_AGE_MS;
    return isOld || !isAlive(Number(text.split(' ')[0])) ? text : undefined;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return codeOf(cause) === 'EPERM';
  }
}

async function removeIf(file: string, text: string): Promise<void> {
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found === text) await rm(file, { force: true });
}

function busy(file: string): DevsError {
  const sentence = `Another devs has held ${JSON.stringify(file)} for long. If none is running, delete it, and ${JSON.stringify(`${file}.break`)} beside it.`;
  return new DevsError('STATE_UNUSABLE', { sentence });
}

function unusable(file: string, problem: string, cause: unknown): DevsError {
  return new DevsError('STATE_UNUSABLE', { sentence: `The file ${JSON.stringify(file)} ${problem}. Look at it, and at the folder that it is in.`, cause });
}

function codeOf(cause: unknown): unknown {
  return isRecord(cause) ? cause['code'] : undefined;
}
