import fs from 'node:fs';

/** Whether there is a file that is ours alone. A link, or what others may write, is none: it could be made to say anything. */
export function isOwnFile(file: string): boolean {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.nlink !== 1) return false;
  const isOurs = process.getuid === undefined || stats.uid === process.getuid();
  return isOurs && (process.platform === 'win32' || (stats.mode & 0o077) === 0);
}
