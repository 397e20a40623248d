import fs from 'node:fs';
import process from 'node:process';

/** Holds the process id of the watcher in the environment of the process that it watches. */
export const WATCHER = 'DEVS_WATCHER';

/** How often a watched process says that it still answers. */
const BEAT_MS = 250;
/** For what is to be tidied up once the watcher is gone. */
const LAST_MS = 2_000;

/** What a watched process tells: that it is alive, and what size of files it is about to read. */
export interface Beat {
  readonly bytes?: number;
}

/** Whether another devs watches this one, and ends it when it does not answer. */
export function isWatched(): boolean {
  return process.connected && process.env[WATCHER] === String(process.ppid);
}

/** Says so until the end. What the watcher asks for is what Ctrl-C asks for. */
export function answerWatcher(): void {
  // Programs that this one starts are watched by nobody.
  delete process.env[WATCHER];
  const stop = () => void process.emit('SIGINT');
  setInterval(() => tell({}), BEAT_MS).unref();
  process.on('message', stop);
  process.on('disconnect', () => {
    stop();
    setTimeout(() => process.exit(), LAST_MS).unref();
  });
  // To be listened to keeps nobody alive.
  process.channel?.unref();
}

/** What is read takes time in proportion to its size, and SQLite may not answer meanwhile. */
export function announceFiles(files: readonly string[]): void {
  if (!process.connected) return;
  tell({ bytes: files.flatMap((file) => [file, `${file}-wal`]).reduce((sum, file) => sum + sizeOf(file), 0) });
}

function tell(beat: Beat): void {
  // A watcher that has just gone is told nothing.
  if (process.connected) process.send?.(beat, undefined, undefined, () => undefined);
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
