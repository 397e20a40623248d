import { adoptSqliteAgentLogs, examineSqliteLog, openSqliteSource, verifyLog, type HeadKeeper, type LogStanding } from '@devs/storage';
import { Option, type Command } from 'commander';
import { openControllingTerminal } from '../config/controlling-terminal.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { openHeadKeeper } from '../log-keys.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { prepareState } from '../state/state-folder.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { VERSION } from '../version.ts';

export interface LogsAdoptOptions {
  readonly json: boolean;
  /** `seq` of the last record, as somebody has looked at it. */
  readonly yes?: number;
}

/** `devs logs adopt` on the command line. */
export function addLogsAdopt(logs: Command, session: Session): void {
  const adopt = logs
    .command('adopt')
    .description('continue with a log that is not the one devs remembers, such as a restored backup; the log records this')
    .addOption(new Option('--yes <seq>', 'do not ask; <seq> is the last record of the log, or 0').argParser(parseSeq))
    .option('--json', 'one JSON document', false);
  withPlaceOptions(adopt).action(async (options: PlaceOptions & LogsAdoptOptions) =>
    runInPlace(session, options, (place) => logsAdoptCommand(options, place)),
  );
}

function parseSeq(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new CommandFailure(EXIT.usage, `--yes ${printableLine(text)}: it is the seq of the last record of the log.`);
  return Number(text);
}

/** Takes the log for the true one, once it is whole in itself and somebody has said yes. Exit 1 when nothing was adopted. */
export async function logsAdoptCommand(options: LogsAdoptOptions, place: Place): Promise<ExitCode> {
  const { state, config, terminal } = place;
  await prepareState(state);
  const file = state.logFile;
  const heads = openKeeper(place);
  const standing = examineSqliteLog({ file, heads });
  if (standing.problem === undefined) {
    await tellJson(NOTHING_ADOPTED, options, place);
    await writeTo(terminal.status, 'The log is the one that devs remembers: there is nothing to adopt.\n');
    return EXIT.ok;
  }
  if (standing.at.seq > 0) await requireIntact(file, place);
  if (!(await isConfirmed(standing, options, place))) {
    await tellJson(NOTHING_ADOPTED, options, place);
    await writeTo(terminal.status, 'Nothing was adopted.\n');
    return EXIT.toolError;
  }
  const { durability } = config.audit;
  const { from, at } = await adoptSqliteAgentLogs({ file, durability, version: VERSION, heads, expected: { seq: standing.at.seq } });
  await tellJson({ adopted: true, from, at }, options, place);
  await writeTo(terminal.status, `Adopted. The log says so in a record after record ${at.seq}. Restart every devs that has it open.\n`);
  return EXIT.ok;
}

const NOTHING_ADOPTED = { adopted: false, from: null, at: null };

async function tellJson(document: object, { json }: LogsAdoptOptions, { terminal }: Place): Promise<void> {
  if (json) await writeTo(terminal.output, `${toJsonText(document)}\n`);
}

function openKeeper({ logKeys, state, config, terminal }: Place): HeadKeeper {
  const onProblem = (sentence: string) => void writeTo(terminal.status, `${printableLine(sentence)}\n`).catch(() => undefined);
  const heads = openHeadKeeper({ keys: logKeys, logFile: state.logFile, audit: config.audit, onProblem });
  if (heads === undefined) throw new CommandFailure(EXIT.configuration, 'Logs are not signed here, so devs remembers none, and there is nothing to adopt.');
  return heads;
}

/** What was put back must at least be whole: else a log that somebody has changed would be signed as the true one. */
async function requireIntact(file: string, { stop }: Place): Promise<void> {
  await using source = openSqliteSource({ file });
  const { verdict, problem } = await verifyLog(source, { signal: stop });
  if (verdict === 'intact') return;
  const what = problem === undefined ? '' : ` ${printableLine(problem.what)}.`;
  throw new CommandFailure(EXIT.toolError, `The log is ${verdict} in itself:${what} To start a new one, move it out of the state folder and adopt again.`);
}

async function isConfirmed({ at, problem }: LogStanding, { yes }: LogsAdoptOptions, { terminal, stop }: Place): Promise<boolean> {
  const lines = [
    problem?.what ?? '',
    at.seq === 0 ? 'There is no record in it now.' : `It ends with record ${at.seq} now (${at.leaf}).`,
    'Adopting it discards what devs remembers: what was cut off stays unknown. Check first: devs logs verify',
  ];
  if (yes !== undefined) {
    await writeTo(terminal.status, `${lines.map(printableLine).join('\n')}\n`);
    if (yes !== at.seq) throw new CommandFailure(EXIT.usage, `--yes ${yes}: the log ends with record ${at.seq}.`);
    return true;
  }
  using person = await openControllingTerminal();
  if (person === undefined) {
    throw new CommandFailure(EXIT.configuration, `${printableLine(lines.join(' '))}\nThere is no terminal to ask on. Run this in one, or confirm: devs logs adopt --yes ${at.seq}`);
  }
  await person.show(lines.map(printableLine));
  // Both numbers, so that nobody says yes to something else than stands there.
  const wanted = problem?.from ? `${at.seq} instead of ${problem.from.seq}` : `${at.seq}`;
  const answer = await person.ask(`Type "${wanted}" to adopt it; anything else changes nothing: `, stop);
  return answer?.trim() === wanted;
}
