import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository, wherever it was cloned to; spaces included. */
export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

export function inRepository(...segments) {
  return path.join(repository, ...segments);
}

export function readRootManifest() {
  return JSON.parse(readFileSync(inRepository('package.json'), 'utf8'));
}
