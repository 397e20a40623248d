import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const largest = 1024 * 1024;

/** Files that belong to the repository: tracked, or new and not ignored. Path → text; binary ones are empty. */
export function readRepository(root) {
  const listing = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (listing.status !== 0) throw new Error('The checks need git and a checkout: they look at the files that belong to it.');
  const files = new Map();
  for (const file of [...new Set(listing.stdout.split('\0'))].sort()) {
    const full = path.join(root, file);
    // A file that is deleted and not yet staged is still listed.
    if (file === '' || !existsSync(full) || !statSync(full).isFile()) continue;
    const bytes = statSync(full).size > largest ? Buffer.alloc(0) : readFileSync(full);
    files.set(file, bytes.subarray(0, 8192).includes(0) ? '' : bytes.toString('utf8'));
  }
  return files;
}
