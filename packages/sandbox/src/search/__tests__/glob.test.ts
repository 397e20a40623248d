import { describe, expect, test } from '@jest/globals';
import { compileGlob } from '../glob.ts';
import { Effort } from '../wildcard.ts';

const STEPS = 10_000_000;

function fits(glob: string, name: string): boolean {
  return compileGlob(glob)(name.split('/'), new Effort(STEPS));
}

describe('compileGlob', () => {
  test.each([
    ['*.ts', 'a/b.ts', true],
    ['*.ts', 'a.tsx', false],
    ['a/*.ts', 'a/b.ts', true],
    ['a/*.ts', 'x/a/b.ts', false],
    ['**/a/*.ts', 'x/a/b.ts', true],
    ['a/', 'a/b/c', true],
    ['*.{ts,tsx}', 'b.tsx', true],
    ['{a,b/{c,d}}/*.ts', 'b/d/x.ts', true],
    ['{a,b/{c,d}}/*.ts', 'b/x.ts', false],
    ['{a}', '{a}', true],
    ['\\{a,b\\}', '{a,b}', true],
    ['{a,b', '{a,b', true],
    ['a,b', 'a,b', true],
    ['app/(group)/*.ts', 'app/(group)/x.ts', true],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['{ts}', 'ts', false],
    ['{1..3}', '2', false],
    ['./src/*.ts', 'src/a.ts', true],
    ['./*.ts', 'a.ts', true],
    ['./*.ts', 'src/a.ts', false],
    ['src/./a.ts', 'src/a.ts', true],
    ['src\\/\\./a.ts', 'src/a.ts', true],
    ['a//b', 'a/b', true],
    ['a//b', 'a/x/b', false],
    ['//a', 'a', true],
    ['a//', 'a/b/c', true],
    ['a/.', 'a/b/c', true],
    ['a/.', 'a', false],
    ['{.,src}/*.ts', 'a.ts', true],
    ['.', 'a/b', true],
    ['./', 'a/b', true],
    ['{,a}', 'b', false],
    ['{,a}', 'a', true],
    ['.env/..x', '.env/..x', true],
    ['...', '...', true],
  ])('%s and %s: %s', (glob, name, expected) => {
    expect(fits(glob, name)).toBe(expected);
  });

  test.each([
    ['negated', '!*.ts'],
    ['extended', '+(a|b)'],
    ['extended, further on', 'a/@(b|c)/*'],
    ['a class without its end', '[ab'],
    ['a class without its end, in one alternative', '{a,[b}'],
    ['too long', 'a'.repeat(257)],
    ['too many alternatives', '{a,b}'.repeat(7)],
    ['too many alternatives at once', `{${'a,'.repeat(65)}}`],
  ])('refused: %s', (_, glob) => {
    expect(() => compileGlob(glob)).toThrow('The glob cannot be used');
  });

  test.each(['..', '../x', 'a/../b', 'a/..', 'a/\\.\\./b', 'a\\/../b', '{a,..}/b', '{a,../b}'])('%s leads up, and says what to write', (glob) => {
    expect(() => compileGlob(glob)).toThrow(
      'The glob cannot be used: it is one that goes up with "..": give the folder as "path", and a glob that goes down from it, such as src/*.ts.',
    );
  });

  test.each([
    ['stars', `${'*a'.repeat(127)}b`],
    ['folders', `${'**/'.repeat(84)}b`],
    ['nested braces', `${'{a,'.repeat(60)}${'}'.repeat(60)}`],
    ['braces without end', '{a,'.repeat(85)],
    ['classes', '[!b]*'.repeat(51)],
  ])('hostile, and bounded: %s', (_, glob) => {
    const names = ['a'.repeat(255), Array(200).fill('a'.repeat(20)).join('/')];
    for (const name of names) {
      const effort = new Effort(STEPS);
      compileGlob(glob)(name.split('/'), effort);
      expect(effort.isSpent).toBe(false);
    }
  });
});
