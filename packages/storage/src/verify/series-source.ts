import path from 'node:path';
import { hashFile } from './export-source.ts';
import { mergeRecords } from './merge-records.ts';
import { SourceFailure, type Batches, type RecordRange, type RecordSource, type SurroundingFacts } from './record-source.ts';
import { tampered, type Problem } from './report.ts';

/** What was read of one part. */
interface Ends {
  readonly first: number;
  last: number;
}

/**
 * Parts of one log in their order: archives, and the log itself as the last one where it is there. They may overlap. Takes them over.
 * @param missing paths of archives that should be there too
 */
export function joinSources(sources: readonly RecordSource[], missing: readonly string[] = []): RecordSource {
  return new SeriesSource(sources, missing);
}

class SeriesSource implements RecordSource {
  readonly file = undefined;
  readonly hasPruned = true;
  readonly isWhole: boolean;
  readonly #sources: readonly RecordSource[];
  readonly #missing: readonly string[];
  readonly #ends = new Map<RecordSource, Ends>();

  constructor(sources: readonly RecordSource[], missing: readonly string[]) {
    this.#sources = sources;
    this.#missing = missing;
    this.isWhole = sources.at(-1)?.isWhole ?? false;
  }

  async *faults(): AsyncIterable<Problem> {
    for (const source of this.#sources) yield* source.faults();
  }

  async *facts(): Batches {
    let failure: SourceFailure | undefined;
    for (const source of this.#sources) {
      try {
        yield* source.facts();
      } catch (cause) {
        if (!(cause instanceof SourceFailure)) throw cause;
        // What the other parts say is heard all the same: it may be about records before the place where this one broke.
        failure ??= cause;
      }
    }
    if (failure !== undefined) throw failure;
  }

  async *records(range?: RecordRange): Batches {
    yield* mergeRecords(this.#sources.map((source) => this.#watch(source, range)));
  }

  async *surroundings(facts: SurroundingFacts): AsyncIterable<Problem> {
    yield* this.#checkPruned(facts);
    for (const { file } of this.#sources) if (file !== undefined) yield* checkArchive(file, facts);
    for (const file of this.#missing) yield { seq: null, code: 'start', what: `the archive ${file} is missing, or is not a file; put it back, name its folder with --archives, or name the log alone to verify that`, verdict: 'incomplete' };
    for (const source of this.#sources) yield* source.surroundings(facts);
  }

  progress(): { readonly done: number; readonly total: number } {
    const parts = this.#sources.map((source) => source.progress());
    const share = parts.reduce((sum, { done, total }) => sum + (total === 0 ? 0 : done / total), 0);
    return { done: share, total: parts.length };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sources.map(async (source) => source[Symbol.asyncDispose]()));
  }

  async *#watch(source: RecordSource, range: RecordRange | undefined): Batches {
    for await (const batch of source.records(range)) {
      for (const { seq } of batch) {
        const ends = this.#ends.get(source);
        if (ends === undefined) this.#ends.set(source, { first: seq, last: seq });
        else ends.last = seq;
      }
      yield batch;
    }
  }

  /** That two parts hold a record is no fault; that a log still holds what it says has left it is one. */
  *#checkPruned({ prunings }: SurroundingFacts): Iterable<Problem> {
    for (const [{ hasPruned }, { first, last }] of this.#ends) {
      if (hasPruned) continue;
      const pruning = prunings.find(({ seq, upTo }) => seq <= last && upTo >= first);
      if (pruning !== undefined) yield tampered(first, 'fact', `record ${pruning.seq} says that the records up to ${pruning.upTo} left the log, and record ${first} is there`);
    }
  }
}

async function* checkArchive(file: string, { prunings, signal }: SurroundingFacts): AsyncIterable<Problem> {
  const name = path.basename(file);
  const pruning = prunings.find(({ archive }) => archive.file === name);
  if (pruning === undefined) return;
  try {
    if ((await hashFile(file, signal)) === pruning.archive.sha256) return;
  } catch (cause) {
    if (!(cause instanceof SourceFailure)) throw cause;
    yield { ...cause.problem, seq: null, what: `${name} was not read to its end: ${cause.problem.what}` };
    return;
  }
  yield tampered(null, 'fact', `${name} is not, byte for byte, the archive of which record ${pruning.seq} says that it was made`);
}
