/**
 * Where people write characters that cannot be seen: the one table of it, for who refuses the others and who takes
 * them out. A place speaks for a character by what stands before it or by the visible character behind it, never
 * by what a hidden one behind it is: taking that out could then make another place of it.
 */
export interface Place {
  /** The code points before the character, nearest last. Empty at the start of the text. */
  readonly beforeLast: string;
  readonly last: string;
  /** Empty where another hidden character stands behind. The end of the text is the end of a line. */
  readonly next: string;
}

/** `text`: whatever is read. `definition`: what a person approves, who must see all that a model reads: fewer characters are ordinary there. */
export type WrittenIn = 'text' | 'definition';

const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}]$/u;
/** Scripts whose letters join, so that people write joiners to choose the form. */
const JOINING_SCRIPTS = (
  'Arab Syrc Mand Nkoo Mong Adlm Mani Phlp Rohg Sogd Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr '
  + 'Java Bali Sund Cakm Newa Tirh Sidd Modi Gran Khoj Mtei Sylo Limb Saur Lana'
).split(' ');
const OF_JOINING_SCRIPT = new RegExp(`^[${JOINING_SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]$`, 'u');
/** Scripts written without spaces (line breaking classes SA and AK of UAX 14): a zero width space says where a line may break. */
const SPACELESS_SCRIPTS = 'Khmr Mymr Thai Laoo Java Bali Cham Lana Tale Talu Tavt'.split(' ');
const OF_SPACELESS_SCRIPT = new RegExp(`^[${SPACELESS_SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]$`, 'u');
const STOP_OR_NUMBER = /^[\p{N}\p{P}]$/u;
/** Its stops stand between words that are parted so. */
const JAVANESE = /^\p{Script=Java}$/u;
const EDGE = /^(?:[\s]|)$/u;
const STOP_OR_SYMBOL = /^[\p{P}\p{S}]$/u;
const NUMBER = /^\p{N}$/u;
const LETTER = /^\p{L}$/u;
const SOFT_HYPHEN = '\u00ad';
/** Blocks of the scripts that run from right to left. */
const RIGHT_TO_LEFT = /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]$/u;
const MONGOLIAN_LETTER = /^(?=\p{L})\p{Script=Mong}$/u;
const HAN = /^\p{Script=Han}$/u;
/** Letters and signs that have one other form in the list of standardized variants. */
const HAS_A_VARIANT = /^[\p{Script=Mymr}\p{Sm}0\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f]$/u;
const FIRST_IDEOGRAPHIC = 0xe0100;
/** Two letters of Japanese names. Of other ideographs hardly any has more than eight forms: with all 240, each would carry a letter that nobody sees. */
const OF_MANY_FORMS = /^[\u9089\u908a]$/;
const EMOJI_CHARACTER = /^\p{Emoji}$/u;
/** These are emoji only as keycaps. */
const KEY = /^[0-9#*]$/;
const KEYCAP = '\u20e3';
const PICTURE = /^\p{Extended_Pictographic}$/u;
const SKIN_TONE = /^\p{Emoji_Modifier}$/u;
const EMOJI_STYLE = '\ufe0f';
const BRAILLE_CELL = /^[\u2800-\u28ff]$/;
const BRAILLE_DOTS = /^[\u2801-\u28ff]$/;

const BLACK_FLAG = '\u{1f3f4}';
/** The flags that are spelt in tags: England, Scotland, Wales of Unicode's list; Texas and British Columbia, as vendors draw them. */
const FLAG_TAGS = ['gbeng', 'gbsct', 'gbwls', 'ustx', 'cabc'].map(
  (region) => `${Array.from(region, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{e007f}`,
);

/** False for what nobody writes anywhere: it need not be asked where it stands. */
export function mayBeWritten(code: number): boolean {
  if (code < 0x2000) return code === 0xad || code === 0x061c || (code >= 0x180b && code <= 0x180f);
  if (code < 0xfe00) return (code >= 0x200b && code <= 0x200f) || code === 0x2060 || (code >= 0x2066 && code <= 0x2069) || code === 0x2800;
  return code <= 0xfe0f || (code >= FIRST_IDEOGRAPHIC && code <= 0xe011f);
}

/** True where people write the character, so that taking it for an attack would harm their language. */
export function isWritten(code: number, place: Place, where: WrittenIn = 'text'): boolean {
  switch (code) {
    case 0x00ad:
      return where === 'text' && hyphenates(place);
    case 0x200d:
      return joinsLetters(place) || joinsPictures(place);
    case 0x200c:
      return joinsLetters(place) || beginsSuffix(place);
    case 0x200b:
      return breaksLine(place);
    case 0x061c:
    case 0x200e:
    case 0x200f:
      return isDirected(place) || (where === 'text' && isBesideNeutral(place));
    case 0x2060:
      return where === 'text' && keepsTogether(place);
    case 0x2800:
      return BRAILLE_CELL.test(place.last) || BRAILLE_DOTS.test(place.next);
    case 0x180e:
      return MONGOLIAN_LETTER.test(place.last) || (place.last === ' ' && MONGOLIAN_LETTER.test(place.next));
    case 0x180b:
    case 0x180c:
    case 0x180d:
    case 0x180f:
      return MONGOLIAN_LETTER.test(place.last);
    default:
      return choosesVariant(code, place);
  }
}

/** Units of the tags that begin at `start` and make a flag of the character before them; 0 when they make none. */
export function flagTagsAt(text: string, start: number, last: string): number {
  if (last !== BLACK_FLAG) return 0;
  return FLAG_TAGS.find((tags) => text.startsWith(tags, start))?.length ?? 0;
}

/** At most one behind a character: a row of them could spell anything. */
function choosesVariant(code: number, { last, next }: Place): boolean {
  if (code === 0xfe0e || code === 0xfe0f) return EMOJI_CHARACTER.test(last) && (!KEY.test(last) || next === KEYCAP);
  if (code === 0xfe00 && HAS_A_VARIANT.test(last)) return true;
  if (code >= FIRST_IDEOGRAPHIC) return code <= (OF_MANY_FORMS.test(last) ? 0xe011f : 0xe0107) && HAN.test(last);
  return code >= 0xfe00 && code <= 0xfe02 && HAN.test(last);
}

/** Between letters, as where a word may be parted at the end of a line. Not behind every letter: each is a bit that nobody sees. */
function hyphenates({ beforeLast, last, next }: Place): boolean {
  return beforeLast !== SOFT_HYPHEN && LETTER.test(last) && LETTER.test(next);
}

/** A Persian suffix that is listed by itself, as in a table of words. */
function beginsSuffix({ last, next }: Place): boolean {
  return isLineEnd(last) && LETTER.test(next) && OF_JOINING_SCRIPT.test(next);
}

/** Beside a stop or a sign, or at an end of a line, as in dates, amounts and lists; between words, or two at one place, nobody needs it. */
function isBesideNeutral({ last, next }: Place): boolean {
  if (/^\p{Cf}$/u.test(last)) return false;
  if (STOP_OR_SYMBOL.test(last) || STOP_OR_SYMBOL.test(next)) return true;
  return (isLineEnd(last) && WORD_CHARACTER.test(next)) || (next === '\n' && WORD_CHARACTER.test(last));
}

function isLineEnd(last: string): boolean {
  return last === '' || last === '\n';
}

/** As patterns of CLDR write it between a currency and its amount; between letters a hyphen or a space could do the same. */
function keepsTogether({ last, next }: Place): boolean {
  const isNeutral = (side: string) => STOP_OR_SYMBOL.test(side) || NUMBER.test(side);
  return isNeutral(last) && isNeutral(next) && (STOP_OR_SYMBOL.test(last) || STOP_OR_SYMBOL.test(next));
}

/** Between two words, or a word and a number, a stop, a space or an edge; never beside a letter of a script that has spaces between words. */
function breaksLine({ last, next }: Place): boolean {
  const isLetter = (side: string) => (WORD_CHARACTER.test(side) && OF_SPACELESS_SCRIPT.test(side)) || JAVANESE.test(side);
  const isBeside = (side: string) => isLetter(side) || STOP_OR_NUMBER.test(side);
  if ((isLetter(last) && isBeside(next)) || (isBeside(last) && isLetter(next))) return true;
  return (isLetter(last) && next !== '' && EDGE.test(next)) || (EDGE.test(last) && isLetter(next));
}

/** Never after another joiner, which is no letter. */
function joinsLetters({ last, next }: Place): boolean {
  const isJoining = (side: string) => WORD_CHARACTER.test(side) && OF_JOINING_SCRIPT.test(side);
  return WORD_CHARACTER.test(last) && (isJoining(last) || isJoining(next));
}

function joinsPictures({ beforeLast, last, next }: Place): boolean {
  const picture = last === EMOJI_STYLE ? beforeLast : last;
  return (PICTURE.test(picture) || SKIN_TONE.test(picture)) && PICTURE.test(next);
}

/** A mark of direction beside a letter of a script that has the other one; never two in a row. */
function isDirected({ last, next }: Place): boolean {
  return isRightToLeft(last) || (isRightToLeft(next) && !/^\p{Cf}$/u.test(last));
}

/** A letter, a mark or a number of a script that runs from right to left. */
export function isRightToLeft(character: string): boolean {
  return WORD_CHARACTER.test(character) && RIGHT_TO_LEFT.test(character);
}
