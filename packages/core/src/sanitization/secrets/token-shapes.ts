import { distinctUnits, looksRandom, turnsIn } from './secret-rule.ts';

/** For prefixes that programs use as words too: a name rarely has a digit. */
export function hasDigit(body: string): boolean {
  return /\d/.test(body) && looksRandom(body);
}

/** For short prefixes that may begin a name: letters and digits, both. */
export function mixed(body: string): boolean {
  return /\d/.test(body) && /[A-Za-z]{2}/.test(body) && distinctUnits(body) >= 8 && looksRandom(body);
}

/** For short prefixes that may begin a name: a name in a program has one case, or its words are told apart by more than case. */
export function mixedCase(body: string): boolean {
  return kindsIn(body) >= 2 && distinctUnits(body) >= 12 && looksRandom(body);
}

/**
 * For prefixes of two or three units, and none at all. Letters of both cases and digits take turns: in random base62 at
 * 62 of 100 places, in the names of programs at 35 and less. Judged by the first 32 units.
 */
export function dense(body: string): boolean {
  const { kinds, turns, length } = shapeOf(body);
  return kinds === 3 && turns >= 0.38 * length && distinctUnits(body.slice(0, LOOKED_AT)) >= 10 && looksRandom(body);
}

/** The same where there are too few units for all three: of sixteen, one in sixteen has no digit. */
export function denseShort(body: string): boolean {
  const { kinds, turns, length } = shapeOf(body);
  return kinds >= 2 && turns >= 0.38 * length && distinctUnits(body) >= 9;
}

/** The same for lower case and digits: in random base36 they take turns at 40 of 100 places. Hexadecimal digits pass, too. */
export function denseLower(body: string): boolean {
  const { kinds, turns, length } = shapeOf(body);
  return kinds >= 2 && turns >= 0.24 * length && distinctUnits(body.slice(0, LOOKED_AT)) >= 8 && looksRandom(body);
}

/** Units. A row of hostile text is looked at over and over. */
const LOOKED_AT = 32;

interface Shape {
  /** Of upper case, lower case and digits: how many there are. */
  readonly kinds: number;
  /** How often one of them follows another, or a unit of no kind. */
  readonly turns: number;
  readonly length: number;
}

function shapeOf(text: string): Shape {
  const length = Math.min(text.length, LOOKED_AT);
  return { kinds: kindsIn(text.slice(0, length)), turns: turnsIn(text.slice(0, length)), length };
}

function kindsIn(text: string): number {
  return [/[A-Z]/, /[a-z]/, /\d/].filter((kind) => kind.test(text)).length;
}
