import { inRepository } from './repository.mjs';

/** The line that puts `devs` on the PATH of a shell. Undefined where no PATH can name the folder: it has a colon in its name. */
export function pathLine(folder = inRepository('bin')) {
  if (folder.includes(':')) return undefined;
  return `export PATH='${folder.replaceAll("'", `'\\''`)}':"$PATH"`;
}
