import type { CodeEnd, CodeOutcome, RawContent, RawToolResult } from '@devs/core';
import { countOf } from '../count-of.ts';

/** What was printed, then the value or what was thrown; then, in devs's own words, what else there is to know. */
export function toCodeAnswer({ end, printed, omitted, notices, calls }: CodeOutcome): RawToolResult {
  // Of a process that somebody else has spoken for nothing is shown.
  const isBroken = end.kind === 'broken';
  const texts = isBroken ? [] : [printed, textOf(end)].filter((text) => text !== '');
  const said = describeEnd(end, calls) ?? (texts.length === 0 && end.kind === 'value' ? describeNothing(end) : undefined);
  const left = omitted > 0 && !isBroken ? `${countOf(omitted, 'more character was', 'more characters were')} printed.` : undefined;
  const own = [said, left].filter((sentence) => sentence !== undefined).map((sentence) => `[devs: ${sentence}]`);
  const blocks: RawContent[] = texts.map((text) => ({ type: 'text', text }));
  return { isError: end.kind !== 'value', content: [...blocks, ...[...own, ...notices].map((text) => ({ type: 'notice', text }))] };
}

function textOf(end: CodeEnd): string {
  if (end.kind === 'value') return end.value ?? '';
  return end.kind === 'thrown' ? end.message : '';
}

/** An empty string is a value, too. */
function describeNothing({ isText }: Extract<CodeEnd, { kind: 'value' }>): string {
  return isText ? 'The code has returned an empty string.' : 'The code has returned nothing.';
}

function describeEnd(end: CodeEnd, calls: number): string | undefined {
  if (end.kind === 'broken') return 'The code broke what it ran in, so nothing of it is shown.';
  if (end.kind !== 'limit') return undefined;
  switch (end.limit) {
    case 'time':
      return 'The code was stopped: it took longer than it may.';
    case 'memory':
      return 'The code was stopped: it needs more memory than it may have. Keep less at once.';
    case 'calls':
      return `The code was stopped: it may make no more than ${countOf(calls, 'call', 'calls')} of tools.`;
    case 'stack':
      return 'The code was stopped: it calls itself too deep, or a value is nested too deep.';
    case 'output':
      return 'The code was stopped: it sends out more than it may. Return less, or pass less to tools.';
  }
}
