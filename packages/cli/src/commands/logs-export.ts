import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { errnoOf } from '@devs/core';
import { exportRecords, openSqliteSource, SourceFailure, type RecordRange } from '@devs/storage';
import { Option, type Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { writePrivateFile } from '../state/private-file.ts';
import { showProgress } from '../terminal/progress.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { countOf } from './logs-format.ts';
import { seqOf } from './logs-query.ts';
import { describeMoved, readArchives } from './moved-records.ts';

export interface LogsExportOptions {
  readonly gzip: boolean;
  readonly out?: string;
  readonly from?: number;
  readonly to?: number;
}

/** `devs logs export` on the command line. */
export function addLogsExport(logs: Command, session: Session): void {
  const command = logs
    .command('export')
    .description('export all records as lines of JSON, byte for byte as stored; `devs logs verify` reads them')
    .option('--out <file>', 'a new file; default: standard output')
    .addOption(new Option('--from <seq>', 'the first record').argParser(seqOf('--from')))
    .addOption(new Option('--to <seq>', 'the last record').argParser(seqOf('--to')))
    .option('--gzip', 'compressed', false);
  withPlaceOptions(command).action(async (options: PlaceOptions & LogsExportOptions) =>
    runReading(session, options, (place) => logsExportCommand(options, place)),
  );
}

/** Exit 1 where the log cannot be read to its end: then standard output has what is before, and no file is made. */
export async function logsExportCommand(options: LogsExportOptions, place: Place): Promise<ExitCode> {
  const { out, gzip, from, to } = options;
  if (from !== undefined && to !== undefined && from > to) throw new CommandFailure(EXIT.usage, `--from ${from} --to ${to}: the last record is before the first.`);
  if (out === undefined && gzip && isTerminal(place.terminal.output)) throw new CommandFailure(EXIT.usage, '--gzip: a terminal cannot show this; name a file with --out.');
  try {
    const count = out === undefined ? await writeRecords(place.terminal.output, options, place) : await writeFile(out, options, place);
    await writeTo(place.terminal.status, `${countOf(count, 'record')}.\n`);
    return await tellMoved(options, place);
  } catch (cause) {
    if (!(cause instanceof SourceFailure)) throw cause;
    throw new CommandFailure(EXIT.toolError, `The log could not be read to its end: ${printableLine(cause.message)}. \`devs logs verify\` shows more.`, cause);
  }
}

/** Records that were asked for by number, and have left the log, are somewhere else, not nowhere: exit 1. */
async function tellMoved({ from, to }: LogsExportOptions, { state, terminal }: Place): Promise<ExitCode> {
  const archives = await readArchives(state.logFile);
  const last = Math.max(0, ...archives.map(({ upTo }) => upTo));
  // Who names no record asks for what is in the log.
  const first = from ?? (to !== undefined && to <= last ? 1 : last + 1);
  if (first > last) return EXIT.ok;
  await writeTo(terminal.status, `${printableLine(describeMoved(archives, first, Math.min(to ?? last, last)))}\n`);
  return EXIT.toolError;
}

async function writeRecords(output: Writable, options: LogsExportOptions, { state, terminal, stop }: Place): Promise<number> {
  await using source = openSqliteSource({ file: state.logFile });
  // Lines that somebody sees are progress enough, and would stand behind the bar.
  using _progress = isTerminal(output) ? undefined : showProgress('exporting', () => source.progress(), terminal.status);
  const range: RecordRange = { ...(options.from !== undefined && { from: options.from }), ...(options.to !== undefined && { upTo: options.to }) };
  const through = options.gzip ? createGzip() : new PassThrough();
  // Not ended: standard output is not ours to close.
  const written = pipeline(through, output, { end: output !== terminal.output });
  try {
    const count = await Promise.race([exportRecords(source, async (lines) => write(through, isTerminal(output) ? spellOut(lines) : lines, stop), range), failureOf(written)]);
    through.end();
    await written;
    return count;
  } catch (cause) {
    // What was read is written out first.
    through.end();
    await written.catch(() => undefined);
    throw cause;
  }
}

/** Never resolves: a reader that goes away ends the export. */
async function failureOf(written: Promise<void>): Promise<never> {
  await written;
  return new Promise<never>(() => undefined);
}

/** For eyes alone: the same values, and nothing in them that a terminal obeys or does not show. */
function spellOut(lines: string): string {
  return lines.split('\n').map((line) => (line === '' ? '' : toJsonText(JSON.parse(line)))).join('\n');
}

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

async function write(stream: Writable, text: string, stop: AbortSignal): Promise<void> {
  if (stop.aborted) throw new CommandFailure(EXIT.interrupted, 'stopped; the export is incomplete.');
  await writeTo(stream, text);
}

/** Whole or not at all: beside its place first, for its owner alone, and on the disk before it gets its name. */
async function writeFile(out: string, options: LogsExportOptions, place: Place): Promise<number> {
  const file = path.resolve(out);
  if (await isThere(file)) throw alreadyThere(out);
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await makeEmpty(draft, out);
    const count = await writeRecords(createWriteStream(draft, { flags: 'r+' }), options, place);
    await using handle = await open(draft, 'r+');
    await handle.sync();
    await settle(draft, file);
    return count;
  } finally {
    await rm(draft, { force: true });
  }
}

async function makeEmpty(draft: string, out: string): Promise<void> {
  try {
    await writePrivateFile(draft, '');
  } catch (cause) {
    throw new CommandFailure(EXIT.configuration, `${printableLine(out)} cannot be created: its folder is missing or cannot be written.`, cause);
  }
}

/** A link fails where the name is taken; a rename would put another file's end there. */
async function settle(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (cause) {
    const code = errnoOf(cause);
    // File systems without links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw code === 'EEXIST' ? alreadyThere(file) : cause;
    if (await isThere(file)) throw alreadyThere(file);
    await rename(draft, file);
  }
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(() => true, () => false);
}

function alreadyThere(file: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `${printableLine(file)} already exists; name a new file.`);
}
