import { expect, test } from '@jest/globals';
import { DevsError } from '@devs/core';
import { quotePath, toPathError } from '../errno.ts';

const systemError = (code: string) => Object.assign(new Error(`${code}: no, open '/home/someone/secret'`), { code });

test.each([
  ['ENOENT', 'FILE_NOT_FOUND'],
  ['ENOTDIR', 'NOT_A_DIRECTORY'],
  ['EISDIR', 'NOT_A_REGULAR_FILE'],
  ['ENXIO', 'NOT_A_REGULAR_FILE'],
  ['ELOOP', 'PATH_REFUSED'],
  ['ENAMETOOLONG', 'PATH_REFUSED'],
  ['EACCES', 'PERMISSION_DENIED'],
  ['EPERM', 'PERMISSION_DENIED'],
  ['EROFS', 'PERMISSION_DENIED'],
  ['ENOSPC', 'NO_SPACE'],
  ['EDQUOT', 'NO_SPACE'],
  ['EFBIG', 'NO_SPACE'],
])('%s is %s, in our words', (system, code) => {
  const cause = systemError(system);
  const error = toPathError(cause, 'src/a.ts');
  expect(error).toMatchObject({ code, cause });
  expect(error instanceof DevsError && error.sentence).toMatch(/: "src\/a\.ts"\.$/);
  expect(error instanceof DevsError && error.sentence).not.toMatch(/home|E[A-Z]{4}/);
});

test('what is not known stays what it is, for the gate to hide', () => {
  const unknown = systemError('EIO');
  expect([toPathError(unknown, 'x'), toPathError('thrown', 'x')]).toEqual([unknown, 'thrown']);
});

test('a sentence that says more is kept', () => {
  const precise = new DevsError('INVALID_RANGE', { sentence: 'The offset 9 is past the end.' });
  expect(toPathError(precise, 'x')).toBe(precise);
});

test.each([
  ['plain', 'src/a.ts', '"src/a.ts"'],
  ['controls and quotes', 'a"\n\u001b', String.raw`"a\"\n\u001b"`],
  ['long', 'x/'.repeat(101), `"${'x/'.repeat(100)}..."`],
  ['a lone surrogate', 'a\ud800', '"a\ufffd"'],
])('a path is quoted: %s', (_, path, expected) => {
  expect(quotePath(path)).toBe(expected);
});
