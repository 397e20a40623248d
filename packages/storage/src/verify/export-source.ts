import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { errnoOf } from '@devs/core';
import type { StoredRecord } from '../chain/record.ts';
import { parseLine } from '../export/line.ts';
import { openRegularFile } from './open-regular-file.ts';
import { type Batches, type RecordRange, type RecordSource, SourceFailure } from './record-source.ts';
import type { Problem } from './report.ts';

const LINE_FEED = 10;

/** Bytes: a header and a payload of the most that is read, each letter of which is spelled as an escape. */
const MOST_LINE_BYTES = 33_554_432;

/** The lines of a text in UTF-8 without their ends, some at a time. @throws SourceFailure where it stops being one */
export async function* splitLines(chunks: AsyncIterable<Buffer>, mostBytes = MOST_LINE_BYTES): AsyncIterable<readonly string[]> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield* decode(Buffer.concat([...rest, chunk.subarray(0, end - 1)]));
      [rest, size] = [[], 0];
    }
    if (end < chunk.length) rest.push(chunk.subarray(end));
    size += chunk.length - end;
    if (size > mostBytes) throw new SourceFailure({ code: 'limit', what: 'a line is longer than any that devs writes', verdict: 'tampered' });
  }
  if (size > 0) throw new SourceFailure({ code: 'cut', what: 'the file ends in the middle of a line: a part of it is missing', verdict: 'incomplete' });
}

/** Several lines at once, or where they are not all UTF-8 those before the first that is not. */
function* decode(lines: Buffer): Iterable<readonly string[]> {
  if (isUtf8(lines)) {
    yield lines.toString('utf8').split('\n');
    return;
  }
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf(LINE_FEED, start);
    const line = lines.subarray(start, found < 0 ? lines.length : found);
    if (!isUtf8(line)) throw new SourceFailure({ code: 'form', what: 'a line is not UTF-8', verdict: 'tampered' });
    yield [line.toString('utf8')];
    start += line.length + 1;
  }
}

export interface ExportSourceOptions {
  readonly file: string;
  /** Whether it is compressed with gzip. */
  readonly isCompressed: boolean;
}

const CHUNK_BYTES = 262_144;

/** All that explains erasures, and every fact, which says which log it is. In an export it stands as it is: no letter of it is escaped. */
const FACTS = ['audit.', String.raw`\"store\":`];

/** Of every line that is a record. */
const START = '{"seq":';

/** Opens an export (JSONL, one record a line), or a compressed one. */
export async function openExportSource(options: ExportSourceOptions): Promise<RecordSource> {
  const { size } = await stat(options.file);
  return new ExportSource(options, size);
}

class ExportSource implements RecordSource {
  readonly file: string;
  readonly isWhole = false;
  readonly hasPruned = true;
  readonly #options: ExportSourceOptions;
  readonly #size: number;
  /** Of the reading that is going on. */
  #file: ReadStream | undefined;

  constructor(options: ExportSourceOptions, size: number) {
    this.#options = options;
    this.file = options.file;
    this.#size = size;
  }

  async *faults(): AsyncIterable<Problem> {
    yield* [];
  }

  async *facts(): Batches {
    // Ends at what is no record: a small compressed file holds more of that than anybody waits for.
    yield* this.#parse((line) => FACTS.some((part) => line.includes(part)) || !line.startsWith(START));
  }

  async *records({ from = 1, upTo = Infinity }: RecordRange = {}): Batches {
    for await (const records of this.#parse(() => true)) {
      yield from === 1 && upTo === Infinity ? records : records.filter(({ seq }) => seq >= from && seq <= upTo);
    }
  }

  async *surroundings(): AsyncIterable<Problem> {
    yield* [];
  }

  progress(): { readonly done: number; readonly total: number } {
    return { done: this.#file?.bytesRead ?? 0, total: this.#size };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each reading opens and closes the file for itself.
  }

  async *#parse(isWanted: (line: string) => boolean): Batches {
    for await (const lines of splitLines(this.#chunks())) {
      const records: StoredRecord[] = [];
      for (const line of lines) {
        if (!isWanted(line)) continue;
        const record = parseLine(line);
        if (record === undefined) {
          yield records;
          throw new SourceFailure({ code: 'form', what: describeFault(line), verdict: 'tampered' });
        }
        records.push(record);
      }
      yield records;
    }
  }

  async *#chunks(): AsyncIterable<Buffer> {
    try {
      await using handle = await openRegularFile(this.#options.file);
      const file = handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
      this.#file = file;
      if (this.#options.isCompressed) yield* decompress(file);
      else yield* toBuffers(file);
    } catch (cause) {
      throw toFailure(cause);
    }
  }
}

async function* decompress(file: NodeJS.ReadableStream): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // `pipe` hands on no errors.
  file.on('error', (cause: Error) => gunzip.destroy(cause));
  yield* toBuffers(file.pipe(gunzip));
}

async function* toBuffers(stream: AsyncIterable<string | Buffer>): AsyncIterable<Buffer> {
  for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
}

/** SHA-256 of a file, in hexadecimal digits. @throws SourceFailure when it cannot be read, and the reason of `signal` */
export async function hashFile(file: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  try {
    await using handle = await openRegularFile(file);
    for await (const bytes of toBuffers(handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false }))) {
      signal?.throwIfAborted();
      hash.update(bytes);
    }
  } catch (cause) {
    throw signal?.aborted === true ? cause : toFailure(cause);
  }
  return hash.digest('hex');
}

/** zlib says by its code what is wrong with the bytes; anything else is the file system's. */
function toFailure(cause: unknown): unknown {
  const code = errnoOf(cause) ?? '';
  if (code === 'Z_BUF_ERROR') return new SourceFailure({ code: 'cut', what: 'the compressed file ends early: a part of it is missing', verdict: 'incomplete' }, cause);
  if (code.startsWith('Z_')) return new SourceFailure({ code: 'damaged', what: 'the compressed file is damaged', verdict: 'tampered' }, cause);
  if (code !== '') return new SourceFailure({ code: 'damaged', what: `the file cannot be read: ${code}`, verdict: 'incomplete' }, cause);
  return cause;
}

function describeFault(line: string): string {
  if (line.endsWith('\r')) return 'a line ends in a carriage return: another program rewrote the file';
  if (line.startsWith('\uFEFF')) return 'the file begins with a byte order mark: another program rewrote it';
  return 'a line is not a record as devs writes it';
}
