import type { StoredRecord } from '../chain/record.ts';
import { AsyncOpenParts } from '../disposal.ts';
import { SourceFailure, type Batches } from './record-source.ts';

/**
 * The records of parts of one log in one order. Parts may overlap, as an archive and a copy of the log from before do: a
 * record that is the same in several is given once. Of each part that is being read some records are held, of the others none.
 * @throws SourceFailure where one of them cannot be read on, or two of them hold different records of one number
 */
export async function* mergeRecords(sources: readonly Batches[]): Batches {
  await using opened = new AsyncOpenParts();
  const waiting = sources.map((batches) => opened.use(new Part(batches)));
  let reading: Part[] = [];
  for (;;) {
    await moveOn(reading, waiting);
    reading = reading.filter(({ isOver }) => !isOver);
    const [lowest, ...others] = reading.toSorted((one, other) => one.seq - other.seq);
    if (lowest === undefined) return;
    const limit = Math.min(...others.map(({ seq }) => seq), waiting[0]?.seq ?? Infinity);
    if (lowest.seq < limit) yield lowest.takeBelow(limit);
    else yield [takeOnce(lowest, others)];
  }
}

/** Opens the next part once the others have come to its first record. */
async function moveOn(reading: Part[], waiting: Part[]): Promise<void> {
  for (const part of reading) await part.fill();
  for (let [next] = waiting; next !== undefined; [next] = waiting) {
    await next.fill();
    const isDue = reading.every(({ seq, isOver }) => isOver || next.seq <= seq);
    if (!isDue && !next.isOver) return;
    reading.push(next);
    waiting.shift();
  }
}

/** A record that several hold. */
function takeOnce(lowest: Part, others: readonly Part[]): StoredRecord {
  const record = lowest.take();
  for (const other of others) if (other.seq === record.seq) checkSame(record, other.take());
  return record;
}

class Part implements AsyncDisposable {
  readonly #batches: AsyncIterator<readonly StoredRecord[]>;
  #batch: readonly StoredRecord[] = [];
  #next = 0;
  #last: number | undefined;
  #isDone = false;
  /** Kept until all that comes before it in the log was given. */
  #failure: SourceFailure | undefined;

  constructor(batches: Batches) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  get isOver(): boolean {
    return this.#isDone && this.#failure === undefined && this.#next === this.#batch.length;
  }

  /** Where it goes on, or breaks off. Infinity where that is not known. */
  get seq(): number {
    return this.#last === undefined ? (this.#batch[this.#next]?.seq ?? Infinity) : this.#last + 1;
  }

  async fill(): Promise<void> {
    while (this.#next === this.#batch.length && !this.#isDone) {
      this.#next = 0;
      this.#batch = await this.#read();
    }
  }

  take(): StoredRecord {
    const record = this.#batch[this.#next];
    if (record === undefined) throw this.#failure ?? new SourceFailure({ code: 'damaged', what: 'reading ended early', verdict: 'incomplete' });
    // Of each part, and not of all together: else what was taken out of one would be hidden by another.
    if (record.seq !== this.seq) throw new SourceFailure({ seq: this.seq, code: 'gap', what: `one of the files goes on with record ${record.seq} where record ${this.seq} should be`, verdict: 'tampered' });
    this.#next += 1;
    this.#last = record.seq;
    return record;
  }

  /** One record at least, or it throws. */
  takeBelow(limit: number): readonly StoredRecord[] {
    const records = [this.take()];
    while (this.seq < limit && this.#batch[this.#next]?.seq === this.seq) records.push(this.take());
    return records;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batches.return?.();
  }

  async #read(): Promise<readonly StoredRecord[]> {
    try {
      const result = await this.#batches.next();
      if (result.done !== true) return result.value;
    } catch (cause) {
      if (!(cause instanceof SourceFailure)) throw cause;
      this.#failure = cause;
    }
    this.#isDone = true;
    return [];
  }
}

function checkSame(one: StoredRecord, other: StoredRecord): void {
  const { seq } = one;
  if (one.header !== other.header || Buffer.compare(one.leaf, other.leaf) !== 0) {
    throw new SourceFailure({ seq, code: 'gap', what: `record ${seq} is there twice, and they are not the same`, verdict: 'tampered' });
  }
  if (one.payload === other.payload && isSameSalt(one.salt, other.salt)) return;
  if ([one, other].some(({ payload, salt }) => payload === null && salt === null)) {
    const what = `record ${seq} is there twice, with its payload and without it, as before and after it was erased: verify the files one by one`;
    throw new SourceFailure({ seq, code: 'payload', what, verdict: 'incomplete' });
  }
  throw new SourceFailure({ seq, code: 'payload', what: `record ${seq} is there twice, with two payloads`, verdict: 'tampered' });
}

function isSameSalt(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0;
}
