import { describe, expect, it } from '@jest/globals';
import { commonStart, cutCleaned } from '../cut-text.ts';

const MARK = '[REDACTED:tag]';

describe('a cleaned text that is cut', () => {
  it.each<[string, string, number, string]>([
    ['as long as it may be', 'abc', 3, 'abc'],
    ['longer', 'abcd', 3, 'abc'],
    ['in a mark', `ab${MARK}c`, 8, 'ab'],
    ['before the last unit of a mark', `ab${MARK}c`, 15, 'ab'],
    ['behind a mark', `ab${MARK}c`, 16, `ab${MARK}`],
    ['before a mark', `ab${MARK}c`, 2, 'ab'],
    ['in the second of two', `${MARK}${MARK}`, 20, MARK],
    ['in a pair', 'a😀b', 2, 'a'],
    ['behind a pair', 'a😀b', 3, 'a😀'],
    ['with a bracket that is no mark', 'ab]cd', 4, 'ab]c'],
    ['to nothing', MARK, 0, ''],
    ['behind what begins as a mark', 'ab[REDACTED: and more', 18, 'ab[REDACTED: and m'],
    ['far behind what begins as a mark', `[REDACTED:${'a'.repeat(200)}`, 150, `[REDACTED:${'a'.repeat(140)}`],
    ['at the end of what begins as a mark', 'ab[REDACTED: and more', 12, 'ab'],
    ['in the longest mark', `ab[REDACTED:${'a'.repeat(100)}]`, 112, 'ab'],
  ])('%s', (_name, text, units, expected) => expect(cutCleaned(text, units)).toBe(expected));
});

describe('what two cleaned texts begin with', () => {
  it.each<[string, string, string, string]>([
    ['the same', 'abc', 'abc', 'abc'],
    ['one is shorter', 'ab', 'abc', 'ab'],
    ['the other is shorter', 'abc', 'ab', 'ab'],
    ['they differ', 'abX', 'abY', 'ab'],
    ['they differ in a mark', 'ab[REDACTED:tag]', 'ab[REDACTED:trigger]', 'ab'],
    ['they differ behind a mark', `ab${MARK}X`, `ab${MARK}Y`, `ab${MARK}`],
    ['they differ in the second half of a pair', 'ab😀', 'ab😁', 'ab'],
    ['nothing', 'X', 'Y', ''],
  ])('%s', (_name, one, other, expected) => expect(commonStart(one, other)).toBe(expected));
});
