import type { Json } from '../../json.ts';
import { cleanJson, type CleanString } from '../json/clean-json.ts';
import type { BlockCleaning } from '../results/content-blocks.ts';
import { withheld } from '../results/raw-result.ts';
import type { SanitizationContext } from '../results/sanitization-context.ts';
import { createWrapper, signNotice } from '../steps/wrap.ts';
import { cleanDialogLine, cleanLine, cleanMessage, type ShortCleaning } from './clean-short.ts';
import { toSpeaker } from './other-voices.ts';

const MOST_SOURCE_CHARACTERS = 100;

/** How what a server asks is cleaned. */
export interface QuestionCleaning extends BlockCleaning {
  /** A text of any length, on any number of lines. */
  readonly word: CleanString;
  /** What stands in a dialog: at most so long, on lines that are still to be attributed. */
  message(text: string, maxCharacters: number): string;
  /** The same on one line. */
  dialogLine(text: string, maxCharacters: number): string;
  /** Who asks, as a person is told it. */
  readonly source: string;
  /** The same as the configuration has it. */
  readonly server: string;
  /** Puts a text into a boundary of its own. */
  readonly bound: (text: string) => string;
  /** Tokens that a server may have the client's model write for one prompt. */
  readonly maxSamplingTokens: number;
}

export interface QuestionParts {
  readonly context: Pick<SanitizationContext, 'noticeId' | 'createId' | 'maxSamplingTokens'>;
  readonly blocks: BlockCleaning;
  readonly short: ShortCleaning;
}

/** @param server as the configuration has it */
export function createQuestionCleaning(server: string, { context, blocks, short }: QuestionParts): QuestionCleaning {
  const { noticeId, createId, maxSamplingTokens } = context;
  return {
    ...blocks,
    hasRoles: false,
    notice: (text) => ({ type: 'text', text: signNotice(text, noticeId) }),
    word: short.word,
    message: (text, maxCharacters) => cleanMessage(text, maxCharacters, short),
    dialogLine: (text, maxCharacters) => cleanDialogLine(text, maxCharacters, short),
    source: toSpeaker(cleanLine(server, MOST_SOURCE_CHARACTERS, short)),
    server,
    bound: (text) => createWrapper(server).wrap(text, createId),
    maxSamplingTokens,
  };
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
