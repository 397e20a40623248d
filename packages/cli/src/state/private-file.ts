import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Writes a file that is not there yet, for its owner alone, and waits until it is on the disk. Rejects when it is there. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await using handle = await open(file, CREATE, 0o600);
  await handle.writeFile(text);
  await handle.sync();
}
