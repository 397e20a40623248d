import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { KeyObject } from 'node:crypto';
import { describeCause, DevsError } from '@devs/core';
import {
  examineSqliteLog,
  joinSources,
  openLogFiles,
  openLogWithArchives,
  readHeads,
  readPublicKey,
  verifyLog,
  type FoundHead,
  type HeadProblem,
  type RecordSource,
  type VerifyOptions,
  type VerifyReport,
} from '@devs/storage';
import type { Command } from 'commander';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { openHeadWitness, pinnedPublicKey } from '../log-keys.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { showProgress } from '../terminal/progress.ts';
import { isGone, printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { announceFiles } from '../watched.ts';
import { describeReport } from './logs-verify-report.ts';

export interface LogsVerifyOptions {
  readonly json: boolean;
  readonly against?: string;
  readonly key?: string;
  readonly archives?: string;
}

/** What the verdicts end with. Listed in `docs/reference/command-line.md`. */
const EXITS: Readonly<Record<VerifyReport['verdict'], number>> = { intact: 0, tampered: 1, incomplete: 2, unknown: 2 };

/** `devs logs verify` on the command line. */
export function addLogsVerify(logs: Command, session: Session): void {
  const verify = logs
    .command('verify')
    .description('check that the log is as devs wrote it: 0 intact, 1 tampered, 2 incomplete or unknown')
    .argument('[file...]', 'a log, a copy, exports, archives; without one, the log of this root and its archives')
    .option('--against <file>', 'heads or receipts that you kept elsewhere, also within lines of a system log; - reads standard input')
    .option('--key <key>', 'the public key that signs heads, or a file that contains it; default: the key of this machine')
    .option('--archives <folder>', "the folder of this root's archives, if devs put them elsewhere (devs logs archive --to)")
    .option('--json', 'one JSON document', false)
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(verify).action(async (files: string[], options: PlaceOptions & LogsVerifyOptions) =>
    runReading(session, options, (place) => logsVerifyCommand(files, options, place)),
  );
}

/** Reads all of it, changes nothing, and says what it found. */
export async function logsVerifyCommand(files: readonly string[], options: LogsVerifyOptions, place: Place): Promise<number> {
  const { terminal } = place;
  if (options.archives !== undefined && files.length > 0) throw new CommandFailure(EXIT.usage, ARCHIVES_AND_FILES);
  if (files.length > 0) announceFiles(files);
  // Before the log is opened: a head that is signed meanwhile is of a record that is not read.
  const anchors = await findAnchors(files, options, place);
  await using source = await (files.length > 0 ? openLogFiles(files) : openOwnLog(anchors.remembered, options, place));
  const report = await readThrough(source, anchors, place);
  const context = { key: nameKey(options, anchors), isDatabase: source.isWhole };
  const shown = options.json ? toJsonText({ ...report, problem: report.problem ?? null }) : printLines(describeReport(report, context));
  await writeTo(terminal.output, `${shown}\n`).catch(ignoreClosed);
  return EXITS[report.verdict];
}

const ARCHIVES_AND_FILES = '--archives is for the log of this root; if you name files, name its archives among them.';

/** With a bar that is gone when it returns: the verdict stands alone on its line. */
async function readThrough(source: RecordSource, anchors: VerifyOptions, { terminal, stop }: Place): Promise<VerifyReport> {
  using _progress = showProgress('verifying', () => source.progress(), terminal.status);
  try {
    return await verifyLog(source, { ...anchors, signal: stop });
  } catch (cause) {
    if (stop.aborted) throw new CommandFailure(EXIT.interrupted, 'stopped; the log was not read to its end, so there is no verdict.', cause);
    throw cause;
  }
}

/** Whose signature was believed. */
function nameKey({ key: named }: LogsVerifyOptions, { key }: VerifyOptions): string | undefined {
  if (named !== undefined) return 'the key that was asked for';
  return key === undefined ? undefined : 'the key of this machine';
}

function printLines(lines: readonly string[]): string {
  return lines.map(printableLine).join('\n');
}

/** `devs logs verify | head -0`: a reader that has gone must not make a changed log an intact one. */
function ignoreClosed(cause: unknown): void {
  if (!isGone(cause)) throw cause;
}

async function findAnchors(files: readonly string[], { against, key: named }: LogsVerifyOptions, place: Place): Promise<VerifyOptions> {
  const key = named === undefined ? await ownKey(place) : await readKey(named);
  const withKey = key === undefined ? {} : { key, isKeyExpected: named !== undefined };
  // What this machine remembers is of its own logs as they are now, not of any copy.
  const remembered = files.length > 0 ? {} : { remembered: examineOwnLog(place) };
  if (against !== undefined) return { ...withKey, ...remembered, heads: await readAnchors(against, place) };
  return files.length > 0 ? withKey : { ...withKey, ...remembered, heads: await readRemembered(place), areHeadsShared: true };
}

/** Why a devs that starts would refuse the log, so that this never says less than that. */
function examineOwnLog({ logKeys, state, config }: Place): HeadProblem | undefined {
  try {
    const heads = openHeadWitness({ keys: logKeys, logFile: state.logFile, audit: config.audit });
    return heads === undefined ? undefined : examineSqliteLog({ file: state.logFile, heads }).problem;
  } catch (cause) {
    // A damaged log fails here too; what is wrong with it the check itself says.
    const why = DevsError.is(cause) ? cause.sentence : describeCause(cause);
    return { what: `It was not compared with what devs remembers of it: ${why}`, from: null, isUnread: true };
  }
}

/** A log that is gone, though it is remembered, is one without records: to say that there is none would be to say less. */
async function openOwnLog(remembered: HeadProblem | undefined, { archives }: LogsVerifyOptions, { state }: Place): Promise<RecordSource> {
  try {
    return await openLogWithArchives(state.logFile, archives);
  } catch (cause) {
    if (remembered === undefined || !DevsError.is(cause) || cause.code !== 'LOG_NOT_FOUND') throw cause;
    return joinSources([]);
  }
}

async function readAnchors(file: string, { terminal }: Place): Promise<readonly FoundHead[]> {
  const { found, refused } = readHeads(file === '-' ? await readAll(terminal.input) : await readText(file));
  for (const { line, what } of refused.slice(0, MOST_NOTES)) await writeTo(terminal.status, printableLine(`Line ${line} ${what}.`) + '\n');
  if (found.length === 0) throw new CommandFailure(EXIT.refused, `There is no head and no receipt in ${file === '-' ? 'standard input' : printableLine(file)}.`);
  return found;
}

const MOST_NOTES = 10;

/** The last heads that devs itself signed here. */
async function readRemembered({ logKeys: { headsFolder, notUsed } }: Place): Promise<readonly FoundHead[]> {
  if (notUsed !== undefined) return [];
  const entries = await readdir(headsFolder, { withFileTypes: true }).catch(() => []);
  // A pipe in the place of one would be waited for, for ever.
  const files = entries.filter((entry) => entry.isFile() && /^[0-9a-f]{32}\.json$/.test(entry.name)).map(({ name }) => name);
  const found = await Promise.all(files.map(async (file) => readHeads(await readText(path.join(headsFolder, file))).found.map((head) => ({ ...head, file }))));
  return found.flat();
}

async function ownKey({ logKeys, terminal }: Place): Promise<KeyObject | undefined> {
  try {
    return pinnedPublicKey(logKeys);
  } catch (cause) {
    if (!DevsError.is(cause)) throw cause;
    await writeTo(terminal.status, `${printableLine(`The key of this machine is not used. ${cause.sentence}`)}\n`);
    return undefined;
  }
}

async function readKey(named: string): Promise<KeyObject> {
  // Of just the length of a key or of its SPKI, with the padding that both have: a long path may be made of the same letters.
  if (/^(?:[A-Za-z0-9+/]{43}|[A-Za-z0-9+/]{59})=$/.test(named)) return readPublicKey(named);
  return readPublicKey(await readText(named));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new CommandFailure(EXIT.usage, `${printableLine(file)} cannot be read.`, cause);
  }
}

const EXAMPLES = `
Examples:
  devs logs verify
  journalctl -t devs -o cat | devs logs verify --against -
  devs logs key > devs.pub; devs logs verify copy.db --against head.json --key devs.pub
  devs logs verify --archives /disk/archives
  devs logs verify archives/*.jsonl.gz agent_logs.db`;
