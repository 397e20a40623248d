import type { AgentLogQuery } from '@devs/core';
import { openSqliteAgentLogReader, type SearchHit } from '@devs/storage';
import type { Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { showProgress } from '../terminal/progress.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { explainEmptyLog } from './empty-log.ts';
import { showInPages } from './in-pages.ts';
import { COLUMNS_HELP, toLine, toShown } from './logs-format.ts';
import { toQuery, withCallFilters, type CallFilterOptions } from './logs-query.ts';

export interface LogsSearchOptions extends CallFilterOptions {
  readonly json: boolean;
}

/** `devs logs search` on the command line. */
export function addLogsSearch(logs: Command, session: Session): void {
  const search = logs
    .command('search')
    .description('find calls that contain all of these words, in the request or the answer')
    .argument('<words...>', "word, start*, 'words in this order'")
    .option('--json', 'one JSON object a line', false)
    .addHelpText('after', COLUMNS_HELP);
  withPlaceOptions(withCallFilters(search)).action(async (words: readonly string[], options: PlaceOptions & LogsSearchOptions) =>
    runReading(session, options, (place) => logsSearchCommand(words, options, place)),
  );
}

/** The newest calls first, each with what stands around the first word. Exit 1 when there is none, as of grep. */
export async function logsSearchCommand(words: readonly string[], options: LogsSearchOptions, place: Place): Promise<ExitCode> {
  const { state, terminal, stop } = place;
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const asked = words.map(quote).join(' ');
  const stopped = untilStopped(stop);
  stopped.catch(() => undefined);
  const ask = async (query: AgentLogQuery) => {
    // For who waits: the first search of a long log indexes it, and another that does so just now is waited for.
    let progress = { done: 0, total: 0 };
    using _bar = showProgress('indexing', () => progress, terminal.status);
    const search = reader.search(asked, query, (done, total) => void (progress = { done, total }));
    const { hits, next } = await Promise.race([search, stopped]);
    return { found: hits, next };
  };
  const { shown, next } = await showInPages(toQuery(options), ask, async (hit) => writeTo(terminal.output, options.json ? toJson(hit) : toText(hit)));
  if (shown === 0 && next === undefined) {
    const emptied = await explainEmptyLog(reader, place);
    if (emptied !== undefined) return emptied;
    await writeTo(terminal.status, 'No calls.\n');
  }
  // Of a full page a program has the receipt of the last call; of one that ended early only this says so.
  if (next !== undefined && !(options.json && shown === options.limit)) await writeTo(terminal.status, `There may be more: --before ${next}\n`);
  return shown === 0 ? EXIT.toolError : EXIT.ok;
}

/** The shell has taken the quotes: an argument of several words is several words in this order. */
function quote(argument: string): string {
  return /\s/.test(argument) ? `"${argument.replaceAll('"', ' ')}"` : argument;
}

function toText({ entry, excerpt: { before, found, after } }: SearchHit): string {
  return `${toLine(entry)}\n    ${printableLine(`${before}[${found}]${after}`)}\n`;
}

function toJson({ entry, excerpt }: SearchHit): string {
  return `${toJsonText({ ...toShown(entry), excerpt })}\n`;
}

/** What has been indexed until then stays; the rest is for the next search. */
async function untilStopped(stop: AbortSignal): Promise<never> {
  await untilAborted(stop);
  throw new CommandFailure(EXIT.interrupted, 'stopped; the log was not searched to its end.');
}

async function untilAborted(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
}
