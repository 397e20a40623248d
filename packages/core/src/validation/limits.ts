import { DEFAULT_CONFIG, type SizeLimits } from '../config/defaults.ts';

export type { SizeLimits } from '../config/defaults.ts';

const { maxUserMessageLength, maxToolOutputLength, maxTotalContextTokens, maxFileReadSize } = DEFAULT_CONFIG.limits;

/** The limits of seed 004, in force where the configuration says nothing. */
export const DEFAULT_LIMITS: SizeLimits = Object.freeze({
  maxUserMessageLength,
  maxToolOutputLength,
  maxTotalContextTokens,
  maxFileReadSize,
});

/** How a text is cut: which share of the limit stays at each end, and what stands between. */
interface Cut {
  readonly head: number;
  readonly tail: number;
  readonly notice: (removed: number) => string;
}

/** Nearly all of a message is its beginning; a question often stands at its end. */
const MESSAGE_CUT: Cut = {
  head: 0.85,
  tail: 0.1,
  notice: (removed) => `\n\n[Truncated: ${removed} characters removed]\n\n`,
};

/** Seed 004: the beginning says what it is, the end how it went. */
const OUTPUT_CUT: Cut = {
  head: 0.7,
  tail: 0.2,
  notice: (removed) => `\n\n[... ${removed} characters truncated ...]\n\n`,
};

/** Stands where not even the notice fits: that something went is shown at any limit but 0. */
const SHORTEST_NOTICE = '…';

/**
 * The message if it is at most `limit` characters (UTF-16 units) long, else its beginning, a notice that says how
 * many characters went, and its end: never longer than `limit`, never half a character. Seed 004.
 * Throws a RangeError for a limit that is no whole number from 0 up: a cut that is silently no cut is a hole.
 */
export function enforceMessageLimit(message: string, limit: number): string {
  return enforceLimit(message, limit, MESSAGE_CUT);
}

/**
 * The same for what a tool gave back: 70 % of the limit from its beginning, 20 % from its end. Seed 004.
 * @example
 * ```ts
 * import { enforceToolOutputLimit } from '@devs/core';
 * console.log(enforceToolOutputLimit('short', 100), enforceToolOutputLimit('x'.repeat(1_000), 200).length <= 200); // short true
 * ```
 */
export function enforceToolOutputLimit(output: string, limit: number): string {
  return enforceLimit(output, limit, OUTPUT_CUT);
}

function enforceLimit(text: string, limit: number, cut: Cut): string {
  if (!Number.isSafeInteger(limit) || limit < 0) throw new RangeError('A limit is a whole number of characters, 0 or more.');
  if (text.length <= limit) return text;
  // The longest that the notice can become: fewer characters go than there are.
  const room = limit - cut.notice(text.length).length;
  // Two characters at each end, as one may be a pair of units.
  if (room >= 4) return cutMiddle(text, shareRoom(room, limit, cut), cut.notice);
  const left = Math.max(0, limit - SHORTEST_NOTICE.length);
  const ends = { head: Math.ceil(left / 2), tail: Math.floor(left / 2) };
  return cutMiddle(text, ends, () => SHORTEST_NOTICE.slice(0, limit));
}

interface Ends {
  readonly head: number;
  readonly tail: number;
}

/** The shares of the limit; where the notice takes more than what they leave, the same shares of what is left. */
function shareRoom(room: number, limit: number, { head, tail }: Cut): Ends {
  const whole = Math.min(room, Math.floor(limit * head) + Math.floor(limit * tail));
  const end = Math.max(2, Math.floor((whole * tail) / (head + tail)));
  return { head: whole - end, tail: end };
}

function cutMiddle(text: string, { head, tail }: Ends, notice: Cut['notice']): string {
  const start = splitsPair(text, head) ? head - 1 : head;
  const end = splitsPair(text, text.length - tail) ? text.length - tail + 1 : text.length - tail;
  return text.slice(0, start) + notice(end - start) + text.slice(end);
}

/** True when a cut before `index` would leave half a surrogate pair on each side. */
function splitsPair(text: string, index: number): boolean {
  return isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index), 0xdc00, 0xdfff);
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}
