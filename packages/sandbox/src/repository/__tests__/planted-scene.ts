import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { describe } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import type { GitScene } from './git-scene.ts';

/** Needs no box, but what boxes are for: elsewhere it says that nothing was checked. */
export const onLinux = process.platform === 'linux' ? describe : withBoxes;

export function layout(scene: GitScene, folder: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(scene.at(folder, name), { recursive: true });
  scene.write(`${folder}/HEAD`, 'ref: refs/heads/main\n');
}

export function exists(place: string): boolean {
  return existsSync(place) || lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}
