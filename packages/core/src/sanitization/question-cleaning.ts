import { cleanJson, type CleanString } from './clean-json.ts';
import type { BlockCleaning } from './content-blocks.ts';
import type { Json } from '../json.ts';
import { withheld } from './raw-result.ts';

/** How what a server asks is cleaned. */
export interface QuestionCleaning extends BlockCleaning {
  /** A text of any length, on any number of lines. */
  readonly word: CleanString;
  /** What stands in a dialog: at most so long, without gaps. */
  message(text: string, maxCharacters: number): string;
  /** Who asks, as a person is told it. */
  readonly source: string;
}

/** True when nothing of it would be masked or taken away. */
export function isCleanWord(text: string, { word }: QuestionCleaning): boolean {
  return word(text) === text;
}

/** Of a server's own making, `call_8f3a`: passed on as it is, or not at all. @throws DevsError OUTPUT_WITHHELD */
export function toIdentifier(value: unknown, cleaning: QuestionCleaning): string {
  if (typeof value === 'string' && /^[\w.:-]{1,128}$/.test(value) && isCleanWord(value, cleaning)) return value;
  throw withheld('an identifier that cannot be passed on');
}

/** Plain data, every text of it cleaned. @throws DevsError OUTPUT_WITHHELD */
export function toCleanData(value: unknown, { word, tally }: QuestionCleaning): Json {
  return cleanJson(value, word, tally);
}
