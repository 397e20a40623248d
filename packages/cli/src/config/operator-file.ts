import { realpath } from 'node:fs/promises';
import { DevsError } from '@devs/core';
import { readSmallFile } from '../state/read-file.ts';

/**
 * A file outside the project: whoever wrote it may configure, so it must be somebody who may. Undefined
 * when it is not there. A link is followed here, for those who keep their files elsewhere; the owner
 * that counts is that of what is read. Throws `CONFIG_INVALID` for a file that cannot be used.
 */
export async function readOperatorFile(file: string): Promise<Buffer | undefined> {
  // A link that leads nowhere stays one, and is refused as one.
  const real = await realpath(file).catch(() => file);
  const reading = await readSmallFile(real);
  if (reading.kind === 'absent') return undefined;
  if (reading.kind === 'unusable') throw configInvalid(file, `${reading.problem}.`);
  const { uid, mode, bytes } = reading;
  if (process.geteuid !== undefined && uid !== process.geteuid() && uid !== 0) {
    throw configInvalid(file, 'belongs to another user, who could change what devs allows. Copy it, or chown it to yourself.');
  }
  if ((mode & 0o022) !== 0) throw configInvalid(file, 'can be written by other users. Close it: chmod go-w');
  return bytes;
}

/** `problem` follows the name of the file. */
export function configInvalid(file: string, problem: string): DevsError {
  return new DevsError('CONFIG_INVALID', { sentence: `The configuration ${JSON.stringify(file)} ${problem}` });
}
