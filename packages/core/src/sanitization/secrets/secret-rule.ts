/** What is masked, as `[REDACTED:secret:<id>]`, and what docs call it. Ids are stable: allow-lists name them. */
export interface SecretRule {
  readonly id: string;
  readonly title: string;
}

/** A token that says by its first characters whose it is. */
export interface TokenRule extends SecretRule {
  /** Literal, at least two characters; one of them stands at a left edge. */
  readonly prefixes: readonly string[];
  /** Source of a pattern for what follows: 128 units at most, without nested repetition. Rows of prefixes are looked at at each. */
  readonly body: string;
  /** Source of a pattern for what follows a body that was accepted, where tokens can be longer: it is gone over once. */
  readonly rest?: string;
  /** Judges the body. Default: it does not look like a placeholder. */
  readonly accepts?: (body: string, prefix: string) => boolean;
}

/** A secret that is known by what stands right before it, at the beginning of a long word. */
export interface JoinedRule extends SecretRule {
  /** The unit right before the word; no look at the rest without it. */
  readonly after: '.' | ':' | '/' | '~' | '"' | '!' | '$' | '|';
  /** Source of a pattern that ends where the word begins. Bounded, without groups that capture. */
  readonly before: string;
  readonly body: string;
  /** `whole`: what `before` matched is secret too. `body`: it names the place alone, and stays. */
  readonly masks: 'whole' | 'body';
  /** Judges the body. Default: its form is enough. */
  readonly accepts?: (body: string) => boolean;
}

/** A value that is a secret because of its name: `aws_secret_access_key = …`. */
export interface NamedRule extends SecretRule {
  /** Source of a pattern for the end of the name, in any case, without the left edge. */
  readonly name: string;
  /** Source of a pattern from the end of the name, with the secret, or the beginning of it, as its one group. Bounded as a body is. */
  readonly value: string;
  /** Source of a pattern for what follows a value that was accepted, where it can be longer. */
  readonly rest?: string;
  readonly accepts?: (secret: string, match: string) => boolean;
}

/** Units that hide a token that starts right after them: it is a piece of a longer word. `_` and `-` do not. */
export const LETTER_OR_DIGIT = '[A-Za-z0-9]';

/**
 * What ends in a letter or a digit, and yet does not hide what follows: `\n`, `\x1b`, `\u001b` and `\033` of programs, `%3D` of
 * URLs, `%253D` of URLs in URLs, `=3D` of mail, `\'3d` of RTF.
 */
export const ESCAPE = String.raw`\\[0-7]{1,3}|\\[abefnrtv]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%(?:25){0,4}[0-9A-Fa-f]{2}|%u[0-9A-Fa-f]{4}|=[0-9A-F]{2}|\\'[0-9A-Fa-f]{2}`;

/** Of what is no member of something itself. */
export const OWN_EDGE = String.raw`(?<![.$\])])`;

export const LEFT_EDGE = `(?:(?<!${LETTER_OR_DIGIT})|(?<=${ESCAPE}))`;

/** Enough of a token to tell whether it was made up: rows of hostile text are looked at over and over. */
const SAMPLE = 64;

/** Not the samples of documentation: `ghp_xxxxxxxx`, `sk_live_0000000`, `hf_your_token_here`. A random token has more letters. */
export function looksRandom(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  return distinctUnits(sample) >= 6 && !/x{6}|X{6}|your[_-]/.test(sample);
}

/** Units of a body, and how many of them differ at least: of sixteen random hexadecimal digits, in all cases but one of 30,000. */
const BEGINNING = 16;
const FEWEST_UNITS = 6;

/** False where a body begins as rows of hostile text do: told before a pattern looks at all of it. */
export function mayBeBody(text: string, start: number): boolean {
  let [seen, count] = [0, 0];
  const end = Math.min(text.length, start + BEGINNING);
  for (let at = start; at < end; at += 1) {
    // Two units may share a bit, as `-` and `m` do: a body has enough of others.
    const bit = 1 << (text.charCodeAt(at) & 31);
    if ((seen & bit) !== 0) continue;
    seen |= bit;
    count += 1;
    if (count === FEWEST_UNITS) return true;
  }
  return false;
}

/** How many different units: of ASCII, as tokens are. In bits: a set, or a list for each, is what rows of hostile text would cost most. */
export function distinctUnits(text: string): number {
  let [others, digits, upper, lower] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at) & 127;
    const bit = 1 << (unit & 31);
    if (unit >= 96) lower |= bit;
    else if (unit >= 64) upper |= bit;
    else if (unit >= 32) digits |= bit;
    else others |= bit;
  }
  return ones(others) + ones(digits) + ones(upper) + ones(lower);
}

/** Pairs, fours and eights of bits are counted at once: a loop costs a step for each bit that is set. */
function ones(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55_55_55_55);
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33);
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}

/** How often letters of one case, of the other, and digits take turns. In random text at every second unit, in names at their words. */
export function turnsIn(text: string): number {
  let turns = 0;
  for (let at = 1; at < text.length; at += 1) if (kindOf(text.charCodeAt(at)) !== kindOf(text.charCodeAt(at - 1))) turns += 1;
  return turns;
}

function kindOf(unit: number): 'digit' | 'upper' | 'lower' | 'other' {
  if (unit >= 0x30 && unit <= 0x39) return 'digit';
  if (unit >= 0x41 && unit <= 0x5a) return 'upper';
  return unit >= 0x61 && unit <= 0x7a ? 'lower' : 'other';
}
