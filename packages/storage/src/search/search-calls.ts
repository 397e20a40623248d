import type { AgentLogQuery } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { Excerpt, SearchHit, SearchPage } from '../agent-logs.ts';
import { isAnswer, iterateOpenCalls, merge, rangeOf } from '../database/list-calls.ts';
import type { LogConnection, ReadRow } from '../database/log-connection.ts';
import { toEntry } from '../record/to-entry.ts';
import { isOutcome, textsOf } from './document.ts';
import { isReadOnly, isUnfit, removeIndex } from './index-file.ts';
import { holdsAll, isWord, parseWords, type Phrase, toMatch } from './parse-words.ts';
import type { SearchIndex } from './search-index.ts';
import { type IndexedLog, openUpToDate } from './up-to-date-index.ts';
import { toRuns, toWords } from './words.ts';

/** UTF-16 units on each side of what was found. */
const AROUND = 48;

/** What stands around the first word that is asked for. Where it stands in another form, the start of the first text. */
function toExcerpt(texts: readonly string[], phrases: readonly Phrase[]): Excerpt {
  for (const text of texts) {
    for (const { start, end, words } of toRuns(text)) {
      if (words.some((word) => phrases.some((phrase) => isAsked(word, phrase)))) return cutAround(text, start, end);
    }
  }
  return cutAround(texts[0] ?? '', 0, 0);
}

function isAsked(word: string, { words: [first = '', ...more], isPrefix }: Phrase): boolean {
  return isWord(word, first, isPrefix && more.length === 0);
}

function cutAround(text: string, start: number, end: number): Excerpt {
  const before = text.slice(Math.max(0, start - AROUND), start);
  const found = text.slice(start, Math.min(end, start + AROUND));
  const after = text.slice(end, end + AROUND);
  // A cut may go through a character.
  return { before: before.toWellFormed(), found: found.toWellFormed(), after: after.toWellFormed() };
}

/** Calls that are looked at for one page, at about 20 µs each: what an index cannot tell, such as the order of words, may be rare. */
const MOST_LOOKED_AT = 4_000;

/** @throws DevsError `LOG_QUERY_REFUSED`, AgentLogError */
export async function searchCalls(parts: IndexedLog, words: string, query: AgentLogQuery): Promise<SearchPage> {
  const phrases = parseWords(words);
  try {
    return await attempt(parts, phrases, query);
  } catch (cause) {
    if (!isUnfit(cause instanceof AgentLogError ? cause.cause : cause)) throw cause;
    // Damaged where only a question meets it. Anew, once.
    return attempt({ ...parts, isFileLost: !tryRemove(parts.file) }, phrases, query);
  }
}

function tryRemove(file: string): boolean {
  try {
    removeIndex(file);
    return true;
  } catch (cause) {
    if (isReadOnly(cause)) return false;
    throw cause;
  }
}

async function attempt(parts: IndexedLog, phrases: readonly Phrase[], query: AgentLogQuery): Promise<SearchPage> {
  using indexes = await openUpToDate(parts);
  return await parts.log.read((log) => findPage({ log, indexes: indexes.newestFirst }, phrases, query));
}

interface Sources {
  readonly log: LogConnection;
  readonly indexes: readonly SearchIndex[];
}

function findPage(sources: Sources, phrases: readonly Phrase[], query: AgentLogQuery): SearchPage {
  const hits: SearchHit[] = [];
  let lookedAt = 0;
  for (const row of merge(iterateOutcomes(sources, phrases, query), iterateOpen(sources.log, query))) {
    lookedAt += 1;
    const hit = isWanted(row, query) ? toHit(sources.log, row, phrases) : undefined;
    if (hit !== undefined) hits.push(hit);
    if (hits.length === query.limit || lookedAt === MOST_LOOKED_AT) return { hits, next: row.seq };
  }
  return { hits, next: undefined };
}

/** What the index gives may be an outcome that is not asked for; an open call was looked at before. */
function isWanted(row: ReadRow, query: AgentLogQuery): boolean {
  return row.parsed !== undefined && (!isOutcome(row) || isAnswer(row, query));
}

/** The index narrows and the log decides: what somebody has written into the index finds nothing that is not there. */
function toHit(log: LogConnection, row: ReadRow, phrases: readonly Phrase[]): SearchHit | undefined {
  const texts = textsOf(log, row);
  return holdsAll(texts, phrases) ? { entry: toEntry(log.toCall(row)), excerpt: toExcerpt(texts, phrases) } : undefined;
}

function* iterateOutcomes({ log, indexes }: Sources, phrases: readonly Phrase[], query: AgentLogQuery): Generator<ReadRow> {
  const range = query.status === 'started' ? undefined : rangeOf(log, query);
  if (range === undefined) return;
  const match = toMatch([...phrases, ...wordsOfFilters(query)]);
  for (const index of indexes) {
    for (const seq of index.find(match, range)) {
      const row = log.get(seq);
      if (row !== undefined) yield row;
    }
  }
}

/** The names that are asked for are words of the call too. */
function wordsOfFilters({ toolName = '', agentId = '' }: AgentLogQuery): readonly Phrase[] {
  return [toolName, agentId].map((name) => ({ words: toWords(name), isPrefix: false }));
}

/** Calls without an outcome have no place in the index; there are few. */
function iterateOpen(log: LogConnection, query: AgentLogQuery): Iterable<ReadRow> {
  return query.status === undefined || query.status === 'started' ? iterateOpenCalls(log, query) : [];
}
