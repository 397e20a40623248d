import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { DevsError } from '@devs/core';
import { heldMarks, marksIn } from '../marks.ts';
import { planEdit } from '../surgical-edit/plan-edit.ts';
import { ViewedFile } from '../surgical-edit/viewed-file.ts';
import { tryView } from '../try-view.ts';
import { fakeView } from './fake-view.ts';

const MARK = '[REDACTED:secret:test]';
const viewedOf = (content: string) => new ViewedFile(Buffer.from(content), fakeView(Buffer.from(content)));

test.each([`[REDACTED:secret:${'x'.repeat(100)}]`, '[REDACTED:secret:a.b-c_d]', '[REDACTED:tag]', '[REDACTED:trigger]', '[REDACTED:link]'])('a mark: %s', (mark) => {
  expect(marksIn(`a${mark}${mark}`)).toEqual([{ start: 1, text: mark }, { start: 1 + mark.length, text: mark }]);
});

test.each([`[REDACTED:secret:${'x'.repeat(101)}]`, '[REDACTED:secret:]', '[REDACTED:other]', '[REDACTED]', '[redacted:tag]'])('no mark: %s', (text) => {
  expect(marksIn(text)).toEqual([]);
});

describe('of what reads like a mark', () => {
  test.each<[string, string, readonly string[]]>([
    ['nothing', 'SECRET1 SECRET2', []],
    ['what stands right behind a masked place', 'SECRET1[REDACTED:tag]', ['[REDACTED:tag]']],
    ['what stands right before one', '[REDACTED:tag]SECRET1', ['[REDACTED:tag]']],
    ['what stands between two', `SECRET1${MARK}SECRET2`, [MARK]],
    ['each once', '[REDACTED:tag][REDACTED:tag] SECRET1', ['[REDACTED:tag]']],
    ['what holds something that is not shown: that goes', '[REDACTED:t\u200bag]', []],
  ])('text of the file is %s', (_name, content, held) => {
    expect([...heldMarks(fakeView(Buffer.from(content)))]).toEqual(held);
  });

  test('the file holds what nothing visible stands in, and shows what stands for something as a whole', () => {
    expect(viewedOf('[REDACTED:t\u200bag]').holds('[REDACTED:tag]')).toBe(true);
    expect([viewedOf('SECRET1').holds(MARK), viewedOf(`SECRET1 ${MARK}`).holds(MARK)]).toEqual([false, true]);
    expect([viewedOf('SECRET1').shows(MARK), viewedOf('SECRET1').shows('[REDACTED'), viewedOf(MARK).shows(MARK)]).toEqual([true, false, false]);
  });
});

test('a view that took too long is none; all else that is thrown is thrown on', () => {
  const viewThat = (code: 'OUTPUT_WITHHELD' | 'FILE_TOO_LARGE') => () => tryView(() => { throw new DevsError(code); }, Buffer.from(''));
  expect(viewThat('OUTPUT_WITHHELD')()).toBeUndefined();
  expect(viewThat('FILE_TOO_LARGE')).toThrow('FILE_TOO_LARGE');
});

test('marks are told apart by the whole names before them', () => {
  const content = 'first_password=SECRET1\nother_password=SECRET2\n';
  const wish = { wanted: `first_password=${MARK}\nother_password=${MARK}\n`, by: `other_password=${MARK}\n`, expected: 1 };
  expect(Buffer.from(planEdit(Buffer.from(content), wish, fakeView).content).toString()).toBe('other_password=SECRET2\n');
});
