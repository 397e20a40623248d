import { parseObject } from '../record/to-entry.ts';
import type { LogConnection, ReadRow } from '../database/log-connection.ts';
import { collectTexts, toWords } from './words.ts';

/** Of a record that is the outcome of a call; each call has one place in the index, that of its outcome. */
export function isOutcome({ parsed }: ReadRow): boolean {
  return typeof parsed?.['status'] === 'string';
}

/** The texts of a call that can be searched: its tool, its agent, and what its start and its latest record hold. */
export function textsOf(log: LogConnection, row: ReadRow): readonly string[] {
  const texts: string[] = [];
  for (const name of ['toolName', 'agentId']) {
    const value = row.parsed?.[name];
    if (typeof value === 'string') texts.push(value);
  }
  for (const part of [log.startOf(row), row]) {
    // The names of the parts of a payload are devs's own, the same in each.
    for (const value of Object.values(parseObject(part?.payload) ?? {})) collectTexts(value, texts);
  }
  return texts;
}

/**
 * The words of an outcome, each once, as the index has them; a function of the log alone. Undefined: the record has no
 * place in the index.
 */
export function documentOf(log: LogConnection, row: ReadRow): string | undefined {
  if (!isOutcome(row)) return undefined;
  const words = new Set<string>();
  for (const text of textsOf(log, row)) for (const word of toWords(text)) words.add(word);
  return [...words].join(' ');
}
