import { describe, expect, test } from '@jest/globals';
import { quotePath } from '../errno.ts';
import { ProtectedPatterns } from '../protected-patterns.ts';
import { Protection } from '../protection.ts';

/** Put together here: no file holds a secret whole. */
const [HEAD, TAIL] = [['ghp', 'A1b2C3d4E5f6G7h8I9'].join('_'), 'J0k1L2m3N4o5P6q7R8'];

describe('a path that is too long to be quoted whole', () => {
  test.each(['', '\u200b', '\u001b[31m', '\u00ad'])('shows no half of a token that the cut parts (%j in it)', (hidden) => {
    for (let before = 150; before < 200; before += 1) {
      const shown = quotePath(`${'a/'.repeat(before / 2)}${HEAD}${hidden}${TAIL}/${'b'.repeat(40)}`);
      const isWhole = shown.includes(TAIL);
      if (!isWhole) expect(shown).not.toContain(HEAD.slice(0, 16));
      expect(shown.length).toBeLessThan(230);
    }
  });
});

test('who asks to read a folder of devs is not told of a change that nobody asked for', () => {
  const protection = new Protection({ patterns: new ProtectedPatterns({ anywhere: [], atHome: [] }), folders: [['state']] });
  expect(() => {
    protection.refuseReading(['state', 'log']);
  }).toThrow(expect.objectContaining({ code: 'PATH_PROTECTED', suggestion: expect.not.stringContaining('change') }));
});
