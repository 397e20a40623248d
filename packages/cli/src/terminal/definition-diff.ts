import { canonicalJson, isRecord, type Json, type JsonObject } from '@devs/core';
import { printableLine } from './terminal.ts';

/**
 * A definition for a person, a line a member or a line of text, in an order that is always the same. Texts stand behind a
 * bar, so that no description can pass for another member; what cannot be seen is spelled out.
 */
export function describeDefinition({ name, title, description, ...rest }: JsonObject): readonly string[] {
  const texts = Object.entries({ name, title, description }).flatMap(([member, text]) => (text === undefined ? [] : [`${member}:`, ...describeText(text)]));
  const members = Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [...texts, ...members.flatMap(([member, value]) => [`${printableLine(member)}:`, ...describeJson(value)])];
}

export function describeText(text: Json): readonly string[] {
  const lines = typeof text === 'string' ? text.split('\n') : [canonicalJson(text)];
  return lines.map((line) => printableLine(`  | ${line}`));
}

function describeJson(value: Json): readonly string[] {
  return JSON.stringify(inOrder(value), null, 2).split('\n').map((line) => printableLine(`  ${line}`));
}

/** Only what is another value is another line. */
function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => inOrder(item));
  if (!isRecord(value)) return value;
  const members: readonly (readonly [string, Json])[] = Object.entries(value);
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, inner]) => [key, inOrder(inner)]));
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;
/** Larger than that, two texts are shown one behind the other: comparing costs their product. */
const MOST_CELLS = 4_000_000;

interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** What differs, as `diff -u` shows it, without its line numbers; `…` stands for lines that are the same. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const all = compareLines(before, after);
  const isNear = all.map((_, index) => all.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' '));
  return all.flatMap(({ sign, text }, index) => {
    if (isNear[index] === true) return [`${sign}${text}`];
    return index === 0 || isNear[index - 1] === true ? [' …'] : [];
  });
}

function compareLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const toLines = (sign: DiffLine['sign'], lines: readonly string[]) => lines.map((text) => ({ sign, text }));
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const middle = old.length * now.length > MOST_CELLS ? [...toLines('-', old), ...toLines('+', now)] : compareMiddle(old, now);
  return [...toLines(' ', before.slice(0, start)), ...middle, ...toLines(' ', before.slice(before.length - end))];
}

/** By the longest common subsequence. */
function compareMiddle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const [below, beside, across] = [lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0, lengths[(row + 1) * width + column + 1] ?? 0];
      lengths[row * width + column] = old[row] === now[column] ? across + 1 : Math.max(below, beside);
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [gone, come] = [old[row], now[column]];
    if (gone !== undefined && gone === come) {
      lines.push({ sign: ' ', text: gone });
      [row, column] = [row + 1, column + 1];
    } else if (gone !== undefined && (come === undefined || (lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0))) {
      lines.push({ sign: '-', text: gone });
      row += 1;
    } else {
      lines.push({ sign: '+', text: come ?? '' });
      column += 1;
    }
  }
  return lines;
}
