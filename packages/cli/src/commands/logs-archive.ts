import path from 'node:path';
import { LogArchiver, type ArchivePlan, type ArchivePolicy, type ArchiveReport, type PlaceInTime } from '@devs/storage';
import { Option, type Command } from 'commander';
import { isWithin, toRealPlace } from '../config/project.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { lookForHeadKeeper, openHeadKeeper, pinnedPublicKey } from '../log-keys.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { checkStateIfThere } from '../state/state-folder.ts';
import { showProgress } from '../terminal/progress.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { VERSION } from '../version.ts';
import { countOf } from './logs-format.ts';
import { seqOf } from './logs-query.ts';

export interface LogsArchiveOptions {
  readonly dryRun: boolean;
  readonly payloadDays?: number;
  readonly keepDays?: number;
  readonly to?: string;
  readonly unsigned: boolean;
  readonly ignoreFuture?: number;
  readonly json: boolean;
}

/** `devs logs archive` on the command line. */
export function addLogsArchive(logs: Command, session: Session): void {
  const archive = logs
    .command('archive')
    .description('erase old inputs and outputs, and move old records into compressed archives')
    .option('--dry-run', 'show what would be done, and do nothing', false)
    .addOption(new Option('--payload-days <n>', 'erase older inputs and outputs; 0: never (audit.payloadDays)').argParser(parseDays))
    .addOption(new Option('--keep-days <n>', 'move older records out of the log; default: none').argParser(parseDays))
    .option('--to <folder>', 'where archives go: a folder only for you, mode 0700 (default: archives/ beside the log)')
    .option('--unsigned', 'also move records that no signed head covers', false)
    .addOption(new Option('--ignore-future <seq>', 'ignore future dates, whose cause you know, in the records up to this one').argParser(seqOf('--ignore-future')))
    .option('--json', 'one JSON document', false);
  withPlaceOptions(archive).action(async (options: PlaceOptions & LogsArchiveOptions) =>
    runInPlace(session, options, (place) => logsArchiveCommand(options, place)),
  );
}

function parseDays(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new CommandFailure(EXIT.usage, `${printableLine(text)}: it is a number of days.`);
  return Number(text);
}

/** Says what is old, and takes it away unless it is a dry run. Exit 1 when anything kept it from being done, 130 when it was stopped. */
export async function logsArchiveCommand(options: LogsArchiveOptions, place: Place): Promise<ExitCode> {
  await checkStateIfThere(place.state);
  const policy = await toPolicy(options, place);
  if (options.dryRun) return sayPlan(await whileShown(options, place, async (archiver) => archiver.plan(policy)), options, place);
  return sayReport(await whileShown(options, place, async (archiver) => archiver.run(policy)), options, place);
}

/** With a bar, which is gone before anything else is written. */
async function whileShown<Result>(options: LogsArchiveOptions, place: Place, work: (archiver: LogArchiver) => Promise<Result>): Promise<Result> {
  const { terminal: { status }, stop } = place;
  const problems: string[] = [];
  const archiver = createArchiver(place, options, (problem) => problems.push(problem));
  try {
    using _bar = showProgress('archiving', () => archiver.progress(), status);
    return await work(archiver);
  } catch (cause) {
    if (stop.aborted && cause === stop.reason) throw new CommandFailure(EXIT.interrupted, 'stopped; nothing was erased, and no record was moved.', cause);
    throw cause;
  } finally {
    for (const problem of problems) await writeTo(status, `${printableLine(problem)}\n`).catch(() => undefined);
  }
}

async function sayPlan(plan: ArchivePlan, { json }: LogsArchiveOptions, { terminal }: Place): Promise<ExitCode> {
  await writeTo(terminal.output, json ? `${toJsonText({ plan: withoutSpans(plan) })}\n` : describePlan(plan));
  return isRefused(plan) ? EXIT.toolError : EXIT.ok;
}

async function sayReport(report: ArchiveReport, { json }: LogsArchiveOptions, { terminal: { output, status } }: Place): Promise<ExitCode> {
  const { plan, problems, isJournalEmpty, isStopped } = report;
  await writeTo(output, json ? `${toJsonText({ ...report, plan: withoutSpans(plan) })}\n` : describeReport(report));
  for (const problem of problems) await writeTo(status, `${printableLine(problem)}\n`);
  if (!isJournalEmpty) await writeTo(status, `${JOURNAL}\n`);
  if (isStopped) await writeTo(status, `${STOPPED}\n`);
  if (isStopped) return EXIT.interrupted;
  return problems.length > 0 ? EXIT.toolError : EXIT.ok;
}

const STOPPED = 'Stopped: the steps above are complete, and the next run does the rest.';
const JOURNAL = 'A program is reading the log now: what was erased stays in its journal (-wal) until you run this again.';

async function toPolicy({ payloadDays, keepDays, to, unsigned, ignoreFuture }: LogsArchiveOptions, { config, root }: Place): Promise<ArchivePolicy> {
  const folder = to === undefined ? undefined : path.resolve(to);
  if (folder !== undefined && isWithin(await toRealPlace(folder), root)) {
    throw new CommandFailure(EXIT.usage, `--to ${printableLine(folder)}: it is in the folder that the tools work on, where agents could read and change the archives.`);
  }
  return {
    payloadDays: payloadDays ?? config.audit.payloadDays,
    ...(keepDays !== undefined && { keepDays }),
    ...(folder !== undefined && { folder }),
    unsigned,
    ...(ignoreFuture !== undefined && { ignoreFuture }),
  };
}

function createArchiver({ state, logKeys, config, stop }: Place, { dryRun }: LogsArchiveOptions, onProblem: (sentence: string) => void): LogArchiver {
  const { audit } = config;
  const signing = { keys: logKeys, logFile: state.logFile, audit, onProblem };
  // A key that is made is something that was done.
  const heads = dryRun ? lookForHeadKeeper(signing) : openHeadKeeper(signing);
  const key = pinnedPublicKey(logKeys);
  return new LogArchiver({
    file: state.logFile,
    durability: audit.durability,
    version: VERSION,
    heads,
    signal: stop,
    ...(key !== undefined && { key }),
  });
}

function isRefused({ forbidden, pruning }: ArchivePlan): boolean {
  return forbidden !== null || (pruning.forbidden !== null && pruning.records > 0);
}

function withoutSpans({ erasure: { spans: _spans, ...erasure }, ...plan }: ArchivePlan): object {
  return { ...plan, erasure };
}

function describePlan(plan: ArchivePlan): string {
  const { erasure, pruning, forbidden } = plan;
  const refused = [forbidden, pruning.records > 0 ? pruning.forbidden : null].filter((reason) => reason !== null);
  return toText([
    `${countOf(plan.records, 'record')} in the log.`,
    erasure.payloads === 0 ? 'Nothing to erase.' : `Would erase ${countOf(erasure.payloads, 'payload')} (${erasure.bytes} bytes)${describeSpan(erasure)}.`,
    ...describeHeld(plan),
    pruning.records === 0 ? 'No record to move.' : `Would move ${countOf(pruning.records, 'record')} (${pruning.bytes} bytes)${describeSpan(pruning)}.`,
    ...pruning.archives.map(({ file }) => `  ${path.join(plan.folder, file)}`),
    ...refused.map((reason) => `Refused: ${reason}`),
  ]);
}

function describeReport({ plan, erased, archives }: ArchiveReport): string {
  return toText([
    describeErased(erased, plan),
    ...describeHeld(plan),
    archives.length === 0 ? 'No record was moved.' : `Moved ${countOf(archives.reduce((total, { records }) => total + records, 0), 'record')} into:`,
    ...archives.map(({ file, sha256 }) => `  ${path.join(plan.folder, file)}  sha256 ${sha256}`),
  ]);
}

/** Of a run that did not come to its end nobody knows where it ended: the log does. */
function describeErased(erased: number, { erasure }: ArchivePlan): string {
  if (erased === 0) return 'Nothing was erased.';
  return `Erased ${countOf(erased, 'payload')}${erased === erasure.payloads ? describeSpan(erasure) : ` of ${erasure.payloads}`}.`;
}

function describeHeld({ erasure: { held }, pruning: { heldAt, misdatedAt }, misdated }: ArchivePlan): readonly string[] {
  return [
    ...(misdated === null ? [] : [describeMisdated(misdated)]),
    ...(misdatedAt === null ? [] : [`Records stay from record ${misdatedAt} on: its payload is not erased before that date, and an archive would keep it. With --payload-days 0 it may leave.`]),
    ...(held === 0 ? [] : [`${countOf(held, 'payload')} as old ${held === 1 ? 'stays: its call has' : 'stay: their calls have'} not ended, or ended later.`]),
    ...(heldAt === null ? [] : [`Records stay from record ${heldAt} on: the call that begins there has not ended, or ended later.`]),
  ];
}

function describeMisdated({ records, payloads, from, upTo }: NonNullable<ArchivePlan['misdated']>): string {
  const which = from === upTo ? `Record ${from} is` : `${countOf(records, 'record')}, ${from} to ${upTo}, are`;
  return `${which} dated later than now, and left out as you said${payloads === 0 ? '' : `; ${countOf(payloads, 'payload')} of theirs ${payloads === 1 ? 'stays' : 'stay'}`}.`;
}

function describeSpan({ from, upTo }: { readonly from: PlaceInTime | null; readonly upTo: PlaceInTime | null }): string {
  return from === null || upTo === null ? '' : `, records ${from.seq} to ${upTo.seq}, written from ${from.timestamp} to ${upTo.timestamp}`;
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}
