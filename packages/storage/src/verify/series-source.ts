import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Batches, RecordRange, RecordSource, SurroundingFacts } from './record-source.ts';
import { tampered, type Problem } from './report.ts';

/**
 * Parts of one log in their order: archives, and the log itself as the last one where it is there. Takes them over.
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

  constructor(sources: readonly RecordSource[], missing: readonly string[]) {
    this.#sources = sources;
    this.#missing = missing;
    this.isWhole = sources.at(-1)?.isWhole ?? false;
  }

  async *facts(): Batches {
    for (const source of this.#sources) yield* source.facts();
  }

  async *records(range?: RecordRange): Batches {
    for (const source of this.#sources) yield* source.records(range);
  }

  async *surroundings(facts: SurroundingFacts): AsyncIterable<Problem> {
    for (const { file } of this.#sources) {
      const pruning = file === undefined ? undefined : facts.prunings.find(({ archive }) => archive.file === path.basename(file));
      if (file === undefined || pruning === undefined || (await hashFile(file)) === pruning.archive.sha256) continue;
      yield tampered(null, 'fact', `${path.basename(file)} is not, byte for byte, the archive of which record ${pruning.seq} says that it was made`);
    }
    for (const file of this.#missing) yield { seq: null, code: 'start', what: `the archive ${file} is missing; put it back, or name the log alone to verify that`, verdict: 'incomplete' };
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
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
