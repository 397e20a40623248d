import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { SourceFailure } from './record-source.ts';

const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** Opens a file to read it. @throws SourceFailure for a pipe or a device in its place, which would be waited for or have no end; and the system's error */
export async function openRegularFile(file: string): Promise<FileHandle> {
  // Before it is opened, which is something a device may act on; and after, as it may have been another one by then.
  checkRegular(await stat(file));
  const handle = await open(file, READ);
  try {
    checkRegular(await handle.stat());
    return handle;
  } catch (cause) {
    await handle.close();
    throw cause;
  }
}

function checkRegular(stats: { isFile(): boolean }): void {
  if (!stats.isFile()) throw new SourceFailure({ code: 'damaged', what: 'what lies there is not a file', verdict: 'incomplete' });
}
