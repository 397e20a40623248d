import type { FsRoot } from '@devs/core';

function refuse(): Promise<never> {
  return Promise.reject(new Error('these tools have no files'));
}

/** For tools that need no disk: what is tested beside them is how calls travel. */
export const noFiles: FsRoot = {
  readFile: refuse,
  readLines: refuse,
  writeFile: refuse,
  editFile: refuse,
  listDirectory: refuse,
  searchFiles: refuse,
};
