import { C0, C1, HIDDEN, kindOfUnit } from './unit-kinds.ts';
import { isRightToLeft } from './written-invisibles.ts';

const RIGHT_TO_LEFT_ISOLATE = 0x2067;
const END_OF_ISOLATE = 0x2069;

const ISOLATE = /[\u2066-\u2069]/g;
const ISOLATE_OR_LINE_END = /[\u2066-\u2069\n\r\u0085\u2028\u2029]/g;

/** Pairs in each other, and units between the two of one: a placeholder in a sentence that is itself put into another. */
const MOST_OPEN = 4;
const MOST_UNITS = 1_024;
const TO_FIRST_LETTER = /[^\p{L}]{0,64}/uy;

/**
 * Marks, by unit, the directional isolates that people and their message formats write: in pairs, within one line, around
 * something that can be seen. A pair around nothing, or one right inside another, would be a bit that nobody sees. A right-to-left
 * isolate around Latin letters reorders what a person reads (Trojan Source, CVE-2021-42574). Linear.
 */
export function findBalancedIsolates(text: string): Uint8Array {
  const balanced = new Uint8Array(text.length);
  const open: number[] = [];
  for (let at = nextFrom(ISOLATE, text, 0); at >= 0; at = nextFrom(open.length === 0 ? ISOLATE : ISOLATE_OR_LINE_END, text, at + 1)) {
    const unit = text.charCodeAt(at);
    if (unit < 0x2066) open.length = 0;
    else if (unit < END_OF_ISOLATE) open.push(at);
    else {
      const start = open.pop();
      if (start === undefined || open.length >= MOST_OPEN || !isOrdinary(text, start, at)) continue;
      balanced[start] = 1;
      balanced[at] = 1;
    }
    // Of a line of nothing but beginnings the outermost have no end in reach.
    if (open.length > MOST_UNITS) open.splice(0, MOST_UNITS / 2);
  }
  return balanced;
}

function nextFrom(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}

function isOrdinary(text: string, start: number, end: number): boolean {
  if (end - start > MOST_UNITS || isHiddenUnit(text, start + 1) || isHiddenUnit(text, end - 1)) return false;
  if (text.charCodeAt(start) !== RIGHT_TO_LEFT_ISOLATE) return true;
  TO_FIRST_LETTER.lastIndex = start + 1;
  TO_FIRST_LETTER.test(text);
  const first = TO_FIRST_LETTER.lastIndex;
  const letter = String.fromCodePoint(text.codePointAt(first) ?? 0);
  return first >= end || !/^\p{L}$/u.test(letter) || isRightToLeft(letter);
}

function isHiddenUnit(text: string, at: number): boolean {
  return (kindOfUnit(text.charCodeAt(at)) & (C0 | C1 | HIDDEN)) !== 0;
}
