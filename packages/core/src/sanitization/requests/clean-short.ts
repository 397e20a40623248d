import { cutCleaned } from '../pipeline/cut-text.ts';
import { toOneLine } from '../pipeline/one-line.ts';
import { withoutDevsVoice } from './devs-voice.ts';
import { toDialogLine, toDialogLines, toPlainBreaks } from './dialog-text.ts';

/** Units of a name, a title, a description or a message that are looked at. */
const MOST_RAW = 65_536;
const LONG = '(too long to be shown)';

export interface ShortCleaning {
  /** Cleans a text, of any length. */
  readonly word: (text: string) => string;
  /** Another's words: they must not sound like devs where no boundary stands around them. */
  readonly isForeign: boolean;
}

/** A name, a title, a description: cleaned, on one line, at most so long. */
export function cleanLine(text: string, maxCharacters: number, cleaning: ShortCleaning): string {
  return cleanShort(text, maxCharacters, { ...cleaning, shape: toOneLine });
}

/** What a person reads in a dialog, on lines of which each is still to be attributed (`attributeLines`). */
export function cleanMessage(text: string, maxCharacters: number, cleaning: ShortCleaning): string {
  return cleanShort(toPlainBreaks(text), maxCharacters, { ...cleaning, shape: toDialogLines });
}

/** The same on one line: a title, a description or a choice. */
export function cleanDialogLine(text: string, maxCharacters: number, cleaning: ShortCleaning): string {
  return cleanShort(toPlainBreaks(text), maxCharacters, { ...cleaning, shape: toDialogLine });
}

function cleanShort(text: string, maxCharacters: number, { word, isForeign, shape }: ShortCleaning & { readonly shape: (text: string) => string }): string {
  // Cleaned whole and then cut: a start of it could end in half a secret, however much in it is not seen.
  if (text.length > MOST_RAW) return LONG;
  const whole = shape(word(text));
  const cut = cutCleaned(whole, maxCharacters);
  // What a letter behind it kept from being one, `__otter`, may be a trigger once it is cut.
  const short = cut === whole ? whole : cutCleaned(shape(word(cut)), maxCharacters);
  return isForeign ? withoutDevsVoice(short) : short;
}
