import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/**
 * Tests that need real boxes. On Linux without bubblewrap they are one test that says that nothing was checked; where
 * `DEVS_REQUIRE_SANDBOX` is 1, as in CI, they are red.
 */
export function withBoxes(title: string, define: () => void): void {
  if (hasBubblewrap()) {
    describe(title, () => {
      define();
    });
  } else if (process.env['DEVS_REQUIRE_SANDBOX'] === '1') {
    it(`${title}: needs bubblewrap`, () => {
      throw new Error('There is no bwrap in PATH. Debian: apt-get install bubblewrap');
    });
  } else {
    it(`${title}: there is no bubblewrap on this machine, and NOTHING of this was checked`, () => {
      expect(hasBubblewrap()).toBe(false);
    });
  }
}

function hasBubblewrap(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    execFileSync('bwrap', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
