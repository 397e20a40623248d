import type { StoredRecord } from '../chain/record.ts';
import { SourceFailure, type Batches } from './record-source.ts';

/**
 * The records of parts of one log in one order. Parts may overlap, as an archive and a copy of the log from before do: a
 * record that is the same in several is given once. Of each part that is being read some records are held, of the others none.
 * @throws SourceFailure where one of them cannot be read on, or two of them hold different records of one number
 */
export async function* mergeRecords(sources: readonly Batches[]): Batches {
  await using opened = new AsyncDisposableStack();
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
  /** Where it goes on, by what was read of it. */
  #expected = Infinity;
  #isDone = false;
  /** Kept until all that comes before it in the log was given. */
  #failure: SourceFailure | undefined;

  constructor(batches: Batches) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  get isOver(): boolean {
    return this.#isDone && this.#failure === undefined && this.#next === this.#batch.length;
  }

  /** Of the next record. Infinity where that is not known. */
  get seq(): number {
    return this.#batch[this.#next]?.seq ?? this.#expected;
  }

  async fill(): Promise<void> {
    while (this.#next === this.#batch.length && !this.#isDone) {
      this.#expected = (this.#batch.at(-1)?.seq ?? this.#expected - 1) + 1;
      this.#next = 0;
      this.#batch = await this.#read();
    }
  }

  take(): StoredRecord {
    const record = this.#batch[this.#next];
    if (record === undefined) throw this.#failure ?? new SourceFailure({ code: 'damaged', what: 'reading ended early', verdict: 'incomplete' });
    this.#next += 1;
    return record;
  }

  /** One record at least: in a part that was changed the second may come before the first. */
  takeBelow(limit: number): readonly StoredRecord[] {
    const records = [this.take()];
    while (this.#next < this.#batch.length && this.seq < limit) records.push(this.take());
    return records;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batches.return?.();
  }

  async #read(): Promise<readonly StoredRecord[]> {
    try {
      const { done, value } = await this.#batches.next();
      if (done !== true) return value;
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
