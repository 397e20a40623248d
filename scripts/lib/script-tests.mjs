import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Test files of the scripts themselves. Listed here because Node 20's `--test` knows no patterns. */
export function findScriptTests(folder) {
  const files = readdirSync(folder, { recursive: true })
    .filter((file) => path.basename(path.dirname(file)) === '__tests__' && file.endsWith('.test.mjs'))
    .map((file) => path.join(folder, file));
  // Without a file `node --test` would look for tests of its own choice.
  if (files.length === 0) throw new Error(`no tests in ${folder}`);
  return files.sort();
}
