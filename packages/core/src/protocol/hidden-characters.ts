/**
 * Characters that a person does not see and a model reads all the same: with them, one text says one
 * thing to whoever approves it and another to whoever obeys it. Controls but tab, line feed and
 * carriage return; formats (bidi, zero width, tags); all that is ignored by default (fillers,
 * variation selectors); separators of lines and paragraphs; lone surrogates; private use;
 * noncharacters; the Braille blank.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu;

/** Controls that every text has, and formats of Arabic, Syriac and Kaithi that can be seen. */
const SEEN = /^[\t\n\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u;

const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}]$/u;
/** Scripts whose letters join, so that people write joiners to choose the form. */
const JOINING_SCRIPTS = 'Arab Syrc Mand Nkoo Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr'.split(' ');
const OF_JOINING_SCRIPT = new RegExp(`^[${JOINING_SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]$`, 'u');
/** Scripts written without spaces: a zero width space says where a line may break. */
const OF_SPACELESS_SCRIPT = /^[\p{scx=Khmr}\p{scx=Mymr}\p{scx=Thai}\p{scx=Laoo}]$/u;
const MONGOLIAN = /^\p{Script=Mong}$/u;
const EMOJI_CHARACTER = /^\p{Emoji}$/u;
/** These are emoji only as keycaps. */
const KEY = /^[0-9#*]$/;
const KEYCAP = '\u20e3';
const PICTURE = /^\p{Extended_Pictographic}$/u;
const SKIN_TONE = /^\p{Emoji_Modifier}$/u;

const ZERO_WIDTH_SPACE = '\u200b';
const NON_JOINER = '\u200c';
const JOINER = '\u200d';
const EMOJI_STYLE = '\ufe0f';

/** The code points around a hidden character say what it is there for. Empty at an end of the text. */
interface Place {
  readonly beforeLast: string;
  readonly last: string;
  readonly next: string;
}

/** The first hidden character as `U+202E`, or undefined when all of the text can be seen. Linear. */
export function findHiddenCharacter(text: string): string | undefined {
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (SEEN.test(character)) continue;
    if (!isWritten(character, placeOf(text, index, index + character.length))) return nameOf(character);
  }
  return undefined;
}

function placeOf(text: string, start: number, end: number): Place {
  const [beforeLast = '', last = ''] = ['', '', ...Array.from(text.slice(Math.max(0, start - 4), start))].slice(-2);
  const next = text.codePointAt(end);
  return { beforeLast, last, next: next === undefined ? '' : String.fromCodePoint(next) };
}

/** True where people write the character, so that taking it for an attack would refuse their language. */
function isWritten(character: string, place: Place): boolean {
  switch (character) {
    case JOINER:
      return joinsLetters(place) || joinsPictures(place);
    case NON_JOINER:
      return joinsLetters(place);
    case ZERO_WIDTH_SPACE:
      return [place.last, place.next].every((side) => WORD_CHARACTER.test(side) && OF_SPACELESS_SCRIPT.test(side));
    case '\u180b':
    case '\u180c':
    case '\u180d':
    case '\u180e':
    case '\u180f':
      return MONGOLIAN.test(place.last);
    case '\ufe0e':
    case EMOJI_STYLE:
      return EMOJI_CHARACTER.test(place.last) && (!KEY.test(place.last) || place.next === KEYCAP);
    default:
      return false;
  }
}

/** Never after another joiner, which is no letter: a row of them could spell anything. */
function joinsLetters({ last, next }: Place): boolean {
  const isJoining = (side: string) => WORD_CHARACTER.test(side) && OF_JOINING_SCRIPT.test(side);
  return WORD_CHARACTER.test(last) && (isJoining(last) || isJoining(next));
}

function joinsPictures({ beforeLast, last, next }: Place): boolean {
  const picture = last === EMOJI_STYLE ? beforeLast : last;
  return (PICTURE.test(picture) || SKIN_TONE.test(picture)) && PICTURE.test(next);
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
