import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import type { HeadPublisher } from './head-delivery.ts';
import { syncFolder } from './private-file.ts';
import { toHeadLine } from './signed-head.ts';

const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** How each line begins. A file that begins otherwise was meant for something else. */
const START = Buffer.from('{"head":"');

/**
 * Appends each head to a file as a line, and waits until it is on the disk. A new one is for its owner alone; of
 * one that is there nothing but a list of heads is added to: the configuration may name any file of the user's.
 */
export function publishToFile(given: string): HeadPublisher {
  const file = path.resolve(given);
  return {
    name: `the file ${JSON.stringify(file)}`,
    publish: async (head) => {
      await using handle = await open(file, FLAGS, 0o600);
      const size = await checkFile(handle);
      // After a line that a crash has cut off, the next one begins on a line of its own.
      const isBroken = size > 0 && !(await readAt(handle, size - 1, 1)).equals(Buffer.from('\n'));
      await handle.appendFile(`${isBroken ? '\n' : ''}${toHeadLine(head)}\n`);
      await handle.sync();
      if (size === 0) syncFolder(path.dirname(file));
    },
  };
}

/** Gives its size. */
async function checkFile(handle: FileHandle): Promise<number> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (process.getuid !== undefined && stats.uid !== process.getuid()) throw new Error('it belongs to another user');
  if (process.platform !== 'win32' && (stats.mode & 0o022) !== 0) throw new Error('it can be written by other users. Run `chmod go-w` on it');
  const start = await readAt(handle, 0, Math.min(stats.size, START.length));
  if (!START.subarray(0, start.length).equals(start)) throw new Error('it contains something other than heads, so devs does not change it');
  return stats.size;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
