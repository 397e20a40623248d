import path from 'node:path';
import { LogArchiver, type ArchivePlan, type ArchivePolicy, type ArchiveReport, type ArchiveStep, type PlaceInTime } from '@devs/storage';
import { Option, type Command } from 'commander';
import { isWithin, toRealPlace } from '../config/project.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { lookForHeadKeeper, openHeadKeeper, pinnedPublicKey } from '../log-keys.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { checkStateIfThere } from '../state-folder.ts';
import { printableLine, toJsonText, writeTo, type Terminal } from '../terminal.ts';
import { VERSION } from '../version.ts';

export interface LogsArchiveOptions {
  readonly dryRun: boolean;
  readonly payloadDays?: number;
  readonly keepDays?: number;
  readonly to?: string;
  readonly unsigned: boolean;
  readonly json: boolean;
}

/** `devs logs archive` on the command line. */
export function addLogsArchive(logs: Command, session: Session): void {
  const archive = logs
    .command('archive')
    .description('erase old inputs and outputs, and move old records into compressed archives')
    .option('--dry-run', 'say what would be done, and do nothing', false)
    .addOption(new Option('--payload-days <n>', 'erase inputs and outputs that are older; 0: never (audit.payloadDays)').argParser(parseDays))
    .addOption(new Option('--keep-days <n>', 'move records that are older out of the log; not given: none').argParser(parseDays))
    .option('--to <folder>', 'where archives go (archives/ beside the log)')
    .option('--unsigned', 'move records that no signed head covers too', false)
    .option('--json', 'one JSON document', false);
  withPlaceOptions(archive).action(async (options: PlaceOptions & LogsArchiveOptions) =>
    runInPlace(session, options, (place) => logsArchiveCommand(options, place)),
  );
}

function parseDays(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new CommandFailure(EXIT.usage, `${printableLine(text)}: it is a number of days.`);
  return Number(text);
}

/** Says what is old, and takes it away unless it is a dry run. Exit 1 when anything kept it from being done. */
export async function logsArchiveCommand(options: LogsArchiveOptions, place: Place): Promise<ExitCode> {
  const { state, terminal } = place;
  await checkStateIfThere(state);
  const policy = await toPolicy(options, place);
  const archiver = createArchiver(place, options);
  if (options.dryRun) {
    const plan = await archiver.plan(policy);
    await say(options.json ? `${toJsonText({ plan: withoutSpans(plan) })}\n` : describePlan(plan), terminal);
    return isRefused(plan) ? EXIT.toolError : EXIT.ok;
  }
  const { plan, ...done } = await archiver.run(policy);
  await say(options.json ? `${toJsonText({ plan: withoutSpans(plan), ...done })}\n` : describeReport({ plan, ...done }), terminal);
  for (const problem of done.problems) await writeTo(terminal.status, `${printableLine(problem)}\n`);
  if (!done.isJournalEmpty) await writeTo(terminal.status, `${JOURNAL}\n`);
  return done.problems.length > 0 ? EXIT.toolError : EXIT.ok;
}

const JOURNAL = 'Somebody reads the log just now: what was erased is still in its journal (-wal), until this is run again.';

async function toPolicy({ payloadDays, keepDays, to, unsigned }: LogsArchiveOptions, { config, root }: Place): Promise<ArchivePolicy> {
  const folder = to === undefined ? undefined : path.resolve(to);
  if (folder !== undefined && isWithin(await toRealPlace(folder), root)) {
    throw new CommandFailure(EXIT.usage, `--to ${printableLine(folder)}: it lies in the folder that the tools work on, where agents could read and change the archives.`);
  }
  return {
    payloadDays: payloadDays ?? config.audit.payloadDays,
    ...(keepDays !== undefined && { keepDays }),
    ...(folder !== undefined && { folder }),
    unsigned,
  };
}

function createArchiver({ state, logKeys, config, terminal }: Place, { dryRun }: LogsArchiveOptions): LogArchiver {
  const { audit } = config;
  const onProblem = (sentence: string) => void writeTo(terminal.status, `${printableLine(sentence)}\n`).catch(() => undefined);
  const signing = { keys: logKeys, logFile: state.logFile, audit, onProblem };
  // A key that is made is something that was done.
  const heads = dryRun ? lookForHeadKeeper(signing) : openHeadKeeper(signing);
  const key = pinnedPublicKey(logKeys);
  return new LogArchiver({
    file: state.logFile,
    durability: audit.durability,
    version: VERSION,
    onStep: createProgress(terminal),
    heads,
    ...(key !== undefined && { key }),
  });
}

const STEPS: Readonly<Record<ArchiveStep, string>> = {
  planned: 'The log is whole',
  erased: 'Erased',
  exported: 'Exported archive',
  checked: 'Checked archive',
  placed: 'Placed archive',
  pruned: 'Moved archive',
  emptied: '',
};

/** A line that is drawn over and over, for a person alone. */
function createProgress({ status }: Terminal): (step: ArchiveStep, done: number, total: number) => void {
  if (!('isTTY' in status) || status.isTTY !== true) return () => undefined;
  return (step, done, total) => {
    status.write(step === 'emptied' ? '\r\u001b[K' : `\r\u001b[K${STEPS[step]}${step === 'planned' ? '' : ` ${done} of ${total}`}`);
  };
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
    `${count(plan.records, 'record')} in the log.`,
    erasure.payloads === 0 ? 'Nothing to erase.' : `Would erase ${count(erasure.payloads, 'payload')} (${erasure.bytes} bytes)${describeSpan(erasure)}.`,
    ...describeHeld(plan),
    pruning.records === 0 ? 'No record to move.' : `Would move ${count(pruning.records, 'record')} (${pruning.bytes} bytes)${describeSpan(pruning)}.`,
    ...pruning.archives.map(({ file }) => `  ${path.join(plan.folder, file)}`),
    ...refused.map((reason) => `Refused: ${reason}`),
  ]);
}

function describeReport({ plan, erased, archives }: Omit<ArchiveReport, 'problems' | 'isJournalEmpty'>): string {
  return toText([
    erased === 0 ? 'Nothing was erased.' : `Erased ${count(erased, 'payload')}${describeSpan(plan.erasure)}.`,
    ...describeHeld(plan),
    archives.length === 0 ? 'No record was moved.' : `Moved ${count(archives.reduce((total, { records }) => total + records, 0), 'record')} into:`,
    ...archives.map(({ file, sha256 }) => `  ${path.join(plan.folder, file)}  sha256 ${sha256}`),
  ]);
}

function describeHeld({ erasure: { held }, pruning: { heldAt } }: ArchivePlan): readonly string[] {
  return [
    ...(held === 0 ? [] : [`${count(held, 'payload')} as old ${held === 1 ? 'stays: its call has' : 'stay: their calls have'} not ended, or ended later.`]),
    ...(heldAt === null ? [] : [`Records stay from record ${heldAt} on: the call that begins there has not ended, or ended later.`]),
  ];
}

function describeSpan({ from, upTo }: { readonly from: PlaceInTime | null; readonly upTo: PlaceInTime | null }): string {
  return from === null || upTo === null ? '' : `, records ${from.seq} to ${upTo.seq}, written from ${from.timestamp} to ${upTo.timestamp}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}

async function say(text: string, { output }: Terminal): Promise<void> {
  await writeTo(output, text);
}
