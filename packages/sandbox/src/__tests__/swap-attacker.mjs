// Swaps, as fast as it can, a folder and a file of the root for links to somewhere else, and back.
// Started by race tests with the root, and where the links lead, as its arguments; says `ready` after the first swap.
import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const [, , root, target = '../outside'] = process.argv;
const parent = process.ppid;
const at = (name) => path.join(root, name);

function restore() {
  for (const name of ['spot', 'spot-parked', 'spot-link', 'leaf', 'leaf-parked', 'leaf-link']) {
    rmSync(at(name), { recursive: true, force: true });
  }
  mkdirSync(at('spot'));
  writeFileSync(at('spot/file.txt'), 'inside');
  writeFileSync(at('leaf'), 'inside');
  symlinkSync(target, at('spot-link'));
  symlinkSync(`${target}/file.txt`, at('leaf-link'));
}

function swap(name) {
  renameSync(at(name), at(`${name}-parked`));
  renameSync(at(`${name}-link`), at(name));
  renameSync(at(name), at(`${name}-link`));
  renameSync(at(`${name}-parked`), at(name));
  if (!lstatSync(at(`${name}-link`)).isSymbolicLink()) throw new Error('the link is gone');
}

// The one that is attacked may make a folder where one is missing for a moment, or put its file in the place of
// the link, which would end the attack unseen: then all is set up anew.
function attempt(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

while (!attempt(restore));
process.stdout.write('ready\n');
while (process.ppid === parent) {
  if (!attempt(() => swap('spot')) || !attempt(() => swap('leaf'))) attempt(restore);
}
