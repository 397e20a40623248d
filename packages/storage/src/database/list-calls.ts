import type { AgentLogQuery } from '@devs/core';
import type { LogConnection, ReadRow } from './log-connection.ts';
import { findCandidates, findTimeRange, type SeqRange } from './queries.ts';

/** Rows asked for at once while a page is filled. */
const CHUNK = 256;

/** The calls that answer a query, the newest latest record first. */
export function listCalls(log: LogConnection, query: AgentLogQuery): readonly ReadRow[] {
  const range = rangeOf(log, query);
  const outcomes = query.status === 'started' || range === undefined ? [] : iterateOutcomes(log, query, range);
  const open = query.status === 'started' || query.status === undefined ? iterateOpenCalls(log, query) : [];
  return take(merge(outcomes, open), query.limit);
}

/** Where the outcomes of that time lie. Undefined: there are none. */
export function rangeOf(log: LogConnection, query: AgentLogQuery): SeqRange | undefined {
  const { since, until, before } = query;
  const last = before === undefined ? Number.MAX_SAFE_INTEGER : before - 1;
  if (since === undefined && until === undefined) return { first: 1, last };
  const [range] = log.all(findTimeRange(query));
  if (range === undefined || range.first === null || range.last === null) return undefined;
  return { first: range.first, last: Math.min(last, range.last) };
}

/** Whether a record is the outcome of a call that is asked for. A damaged one may be: it is shown, and hides no other. */
export function isAnswer({ parsed }: ReadRow, query: AgentLogQuery): boolean {
  if (parsed === undefined) return true;
  return typeof parsed['status'] === 'string' && isOr(query.status, parsed['status']) && fits(parsed, query);
}

function fits(header: Readonly<Record<string, unknown>>, { toolName, agentId, phaseId, epicId, since, until }: AgentLogQuery): boolean {
  const { timestamp } = header;
  return (
    isOr(toolName, header['toolName']) &&
    isOr(agentId, header['agentId']) &&
    isOr(phaseId, header['phaseId']) &&
    isOr(epicId, header['epicId']) &&
    (since === undefined || (typeof timestamp === 'string' && timestamp >= since)) &&
    (until === undefined || (typeof timestamp === 'string' && timestamp < until))
  );
}

/** Nothing is asked, or this is what is asked. */
function isOr(asked: string | undefined, value: unknown): boolean {
  return asked === undefined || asked === value;
}

function* iterateOutcomes(log: LogConnection, query: AgentLogQuery, { first, last }: SeqRange): Generator<ReadRow> {
  let end = last;
  while (end >= first) {
    const found = log.all(findCandidates(query, { first, last: end }, CHUNK));
    for (const { seq } of found) {
      const row = log.get(seq);
      if (row !== undefined && isAnswer(row, query)) yield row;
    }
    const lowest = found.at(-1)?.seq;
    if (lowest === undefined || found.length < CHUNK) return;
    end = lowest - 1;
  }
}

/** Calls without an outcome; few, since each is running or was just cut off. */
export function* iterateOpenCalls(log: LogConnection, query: AgentLogQuery): Generator<ReadRow> {
  const { before = Number.MAX_SAFE_INTEGER } = query;
  for (const seq of log.openCalls().filter((open) => open < before)) {
    const row = log.get(seq);
    if (row !== undefined && (row.parsed === undefined || fits(row.parsed, query))) yield row;
  }
}

/** Both are in the order of `seq`, the newest first; what is in both is given once. */
export function* merge(one: Iterable<ReadRow>, other: Iterable<ReadRow>): Generator<ReadRow> {
  const [left, right] = [one[Symbol.iterator](), other[Symbol.iterator]()];
  try {
    let [a, b] = [left.next(), right.next()];
    for (;;) {
      const [seqLeft, seqRight] = [seqOf(a), seqOf(b)];
      const row = seqLeft >= seqRight ? a : b;
      if (row.done === true) return;
      yield row.value;
      if (seqLeft >= seqRight) a = left.next();
      if (seqRight >= seqLeft) b = right.next();
    }
  } finally {
    // A statement that is not read to its end would keep its connection busy.
    left.return?.();
    right.return?.();
  }
}

function seqOf(step: IteratorResult<ReadRow>): number {
  return step.done === true ? Number.NEGATIVE_INFINITY : step.value.seq;
}

function take(rows: Iterable<ReadRow>, limit: number): readonly ReadRow[] {
  const taken: ReadRow[] = [];
  for (const row of rows) {
    if (taken.push(row) === limit) break;
  }
  return taken;
}
