import { describe, expect, it } from '@jest/globals';
import { foldName } from '../fold-name.ts';

/** All characters that Unicode has, and room for those to come. */
function* characters(): Generator<string> {
  for (let code = 1; code <= 0x10_ffff; code += 1) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
  }
}

/** Spellings of a character that case folding, of one character or of more, takes for the same. */
const OTHERS: readonly ((character: string) => string)[] = [
  (character) => character.toLowerCase(),
  (character) => character.toUpperCase(),
  (character) => character.toLowerCase().toUpperCase(),
  (character) => character.toUpperCase().toLowerCase(),
  (character) => character.normalize('NFD'),
  (character) => character.normalize('NFC'),
  (character) => character.normalize('NFD').toUpperCase().normalize('NFC'),
];

/** Between letters: at its end a name loses dots. */
const fold = (character: string) => foldName(`x${character}y`);
const codeOf = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16)}`;

describe('one spelling for a name', () => {
  it('is the same for every case of every character', () => {
    const apart = [];
    for (const character of characters()) {
      // Most have no other spelling.
      if ([character.toLowerCase(), character.toUpperCase(), character.normalize('NFD')].every((each) => each === character)) continue;
      const folded = fold(character);
      if (OTHERS.some((spell) => fold(spell(character)) !== folded) || foldName(folded) !== folded) apart.push(codeOf(character));
    }
    expect(apart).toEqual([]);
  });

  it('is the same for two characters that a pattern without case takes for one', () => {
    const cased = [...characters()].filter((character) => /\p{Changes_When_Casemapped}/u.test(character));
    const apart = [];
    for (const [index, character] of cased.entries()) {
      const pattern = new RegExp(`^${character}$`, 'iu');
      for (const other of cased.slice(index + 1)) if (pattern.test(other) && fold(other) !== fold(character)) apart.push(`${codeOf(character)} ${codeOf(other)}`);
    }
    expect(cased.length).toBeGreaterThan(2_800);
    expect(apart).toEqual([]);
  });

  it.each([
    ['.\u1e9eh', '.ssh'],
    ['.\u00dfh', '.ssh'],
    ['.\u017fsh', '.ssh'],
    ['.G\u0130T', '.gi\u0307t'],
    ['.g\u0131t', '.git'],
    ['.\uff27\uff29\uff34', '.git'],
    ['.gi\u200ct', '.git'],
    ['.git. .', '.git'],
    ['.git::$INDEX_ALLOCATION', '.git'],
    ['\ufb01sh', 'fish'],
  ])('%j is that of %j', (name, expected) => {
    expect(foldName(name)).toBe(expected);
  });
});
