import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { withBoxes } from './with-boxes.ts';

/** Tests that write into the system's own folders, as root may; for another account one test that says that nothing was checked. */
export function inSystemFolders(title: string, define: (around: () => Around) => void): void {
  if (process.geteuid?.() !== 0 || process.platform !== 'linux') {
    it(`${title}: only root can make a project in /usr, and NOTHING of this was checked`, () => {
      expect(process.geteuid?.()).not.toBe(0);
    });
    return;
  }
  withBoxes(title, () => {
    describe('in /usr', () => {
      define(() => new Around());
    });
  });
}

/** A folder in /usr, for as long as a test. */
class Around implements Disposable {
  readonly path: string;

  constructor() {
    mkdirSync('/usr/src', { recursive: true });
    this.path = mkdtempSync('/usr/src/devs-test-');
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
