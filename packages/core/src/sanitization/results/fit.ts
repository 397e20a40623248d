import { Buffer } from 'node:buffer';
import { utf8Prefix } from '../../protocol/text.ts';

export interface BudgetSettings {
  /** Most bytes of UTF-8 of the text that comes out, the message included. */
  readonly maxBytes: number;
  /** Stands on a line of its own where something was cut off; `{characters}` in it becomes their number. A budget smaller than it cuts it. */
  readonly message: string;
  /** What is kept: the head, or 70 % of the budget as the head and 20 % as the tail. */
  readonly strategy: 'head' | 'head-and-tail';
  /** Where in a piece begins what may stand within a text, but not at an end of it; undefined: its end is good. Absent: all are. */
  readonly avoid?: ((piece: string) => number | undefined) | undefined;
}

export interface FittedText {
  readonly text: string;
  /** All that was left out, as one piece; undefined when nothing was. */
  readonly rest: string | undefined;
}

const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;

/** Units on each side of a cut that are looked at: a cluster of ten million combining marks is cut where it happens to be. */
const NEIGHBOURHOOD = 128;
/** What must not stand at an end is looked for in as much before it; and how often another place for a cut is looked for. */
const AVOIDED_UNITS = 4_096;
const MOST_TRIES = 64;
const MARK = /\[REDACTED:[a-z0-9:-]{1,100}\]/g;

/**
 * A well-formed text within a budget. It is cut between two characters as a person counts them, and never inside a mark of devs:
 * half a mark is none, and what devs masked would seem to be the text's own.
 */
export function fitBudget(text: string, settings: BudgetSettings): FittedText {
  // NaN and negative numbers are no room at all.
  const maxBytes = Math.max(0, Math.trunc(settings.maxBytes)) || 0;
  if (fits(text, maxBytes)) return { text, rest: undefined };
  // The longest that it can become: fewer characters are left out than there are.
  const message = sayHowMany(settings.message, text.length);
  const lineEnds = settings.strategy === 'head' || message === '' ? 1 : 2;
  const room = maxBytes - Buffer.byteLength(message, 'utf8') - lineEnds;
  if (room <= 0) return { text: utf8Prefix(message, maxBytes), rest: text };
  if (settings.strategy === 'head') {
    const end = headEnd(text, room, settings);
    return { text: joinLines(text.slice(0, end), sayHowMany(settings.message, text.length - end)), rest: text.slice(end) };
  }
  const headRoom = Math.min(Math.floor(maxBytes * HEAD_SHARE), Math.floor((room * HEAD_SHARE) / (HEAD_SHARE + TAIL_SHARE)));
  const end = headEnd(text, headRoom, settings);
  const start = tailStart(text, Math.min(Math.floor(maxBytes * TAIL_SHARE), room - headRoom), settings);
  const said = sayHowMany(settings.message, start - end);
  return { text: joinLines(joinLines(text.slice(0, end), said), text.slice(start)), rest: text.slice(end, start) };
}

function sayHowMany(message: string, characters: number): string {
  return message.replaceAll('{characters}', String(characters)).toWellFormed();
}

/** A code unit is 1 to 3 bytes: most texts need no count. */
function fits(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return true;
  return text.length <= maxBytes && Buffer.byteLength(text, 'utf8') <= maxBytes;
}

function joinLines(above: string, below: string): string {
  return above === '' || below === '' || above.endsWith('\n') ? above + below : `${above}\n${below}`;
}

function headEnd(text: string, maxBytes: number, { avoid }: BudgetSettings): number {
  let end = cutBefore(text, utf8Prefix(text, maxBytes).length);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const start = startOfAvoided(text, end, avoid);
    if (start === undefined) return end;
    end = cutBefore(text, start);
  }
  // A text that is made of what must not stand at an end.
  return 0;
}

function cutBefore(text: string, index: number): number {
  const end = clusterAt(text, index).start;
  return markAt(text, end)?.start ?? end;
}

/** What is left out ends where the tail begins, and is read on later. */
function tailStart(text: string, maxBytes: number, { avoid }: BudgetSettings): number {
  let start = cutBehind(text, text.length - utf8SuffixLength(text, maxBytes));
  for (let tries = 0; tries < MOST_TRIES && start < text.length; tries += 1) {
    if (startOfAvoided(text, start, avoid) === undefined) return start;
    start = cutBehind(text, start + 1);
  }
  return text.length;
}

function cutBehind(text: string, index: number): number {
  const { end } = clusterAt(text, index);
  return markAt(text, end)?.end ?? end;
}

function startOfAvoided(text: string, end: number, avoid: BudgetSettings['avoid']): number | undefined {
  if (avoid === undefined) return undefined;
  const first = windowStart(text, end, AVOIDED_UNITS);
  const start = avoid(text.slice(first, end).toWellFormed());
  return start === undefined ? undefined : first + start;
}

/** Units of the longest end of the text that fits and begins between two code points. */
function utf8SuffixLength(text: string, maxBytes: number): number {
  // A unit is at least a byte. Half a pair at the start is encoded as three bytes, and goes below.
  const bytes = Buffer.from(text.slice(text.length - Math.min(maxBytes, text.length)), 'utf8');
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start).length;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The character that a cut at `index` would part; the cut itself where it parts none. */
function clusterAt(text: string, index: number): Span {
  const first = windowStart(text, index, NEIGHBOURHOOD);
  const nearby = text.slice(first, index + NEIGHBOURHOOD).toWellFormed();
  const cluster = new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(nearby).containing(index - first);
  if (cluster === undefined || cluster.index + first === index) return { start: index, end: index };
  const end = first + cluster.index + cluster.segment.length;
  // It goes on beyond what is looked at: no character that anybody would miss a part of.
  const isOpenBefore = first > 0 && cluster.index === 0 && text.charCodeAt(first) >= 0x80;
  if (isOpenBefore || (end < text.length && end === index + NEIGHBOURHOOD)) return { start: index, end: index };
  return { start: first + cluster.index, end };
}

/** Where to begin to count: at an ASCII character if there is one, since a character begins there, else between two code points. */
function windowStart(text: string, index: number, units: number): number {
  const first = Math.max(0, index - units);
  for (let start = first; start < index; start += 1) if (text.charCodeAt(start) < 0x80) return start;
  return first > 0 && isLowSurrogate(text.charCodeAt(first)) ? first - 1 : first;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function markAt(text: string, index: number): Span | undefined {
  const first = Math.max(0, index - NEIGHBOURHOOD);
  for (const mark of text.slice(first, index + NEIGHBOURHOOD).matchAll(MARK)) {
    const span = { start: first + mark.index, end: first + mark.index + mark[0].length };
    if (span.start < index && index < span.end) return span;
  }
  return undefined;
}
