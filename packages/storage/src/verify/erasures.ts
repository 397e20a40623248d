import { commitmentOf, SALT_BYTES } from '../chain/record.ts';
import type { LinkedRecord } from './chain-walk.ts';
import type { Erasure } from './facts.ts';
import { tampered, type Problem } from './report.ts';

interface Counted extends Erasure {
  /** How many erased payloads it is the first to explain. */
  found: number;
}

/** Holds payloads against their commitments, and those that are gone against what the log says of their erasure. */
export class Erasures {
  readonly #isWhole: boolean;
  /** Still to come, the next one last. */
  readonly #coming: Counted[];
  /** Those whose range holds the current record, in the order of the log. */
  #current: Counted[] = [];
  readonly #bySeq: ReadonlyMap<number, Counted>;
  #erased = 0;

  /** @param isWhole whether a record that explains an erasure cannot lie in another file */
  constructor(erasures: readonly Erasure[], isWhole: boolean) {
    this.#isWhole = isWhole;
    const counted = erasures.map((erasure) => ({ ...erasure, found: 0 }));
    this.#bySeq = new Map(counted.map((erasure) => [erasure.seq, erasure]));
    this.#coming = counted.toSorted((one, other) => other.from - one.from || other.seq - one.seq);
  }

  /** Payloads that are gone and should be. */
  get erased(): number {
    return this.#erased;
  }

  /** To be asked of every record, in order. */
  check({ record, header }: LinkedRecord): Problem | undefined {
    const { seq, payload, salt } = record;
    this.#moveTo(seq);
    const change = (what: string) => tampered(seq, 'payload', `record ${seq} ${what}`);
    if (header.commitment === null) return payload === null && salt === null ? undefined : change('has a payload that its header does not know of');
    if ((payload === null) !== (salt === null)) return change('has lost its payload or its salt, and not both');
    // What is hashed is salt and payload in a row: bytes of the one could be moved into the other, and nothing else told.
    if (salt !== null && salt.length !== SALT_BYTES) return change('has a salt that is not one');
    const erasure = this.#current.find(({ before }) => header.timestamp < before);
    if (payload === null || salt === null) return this.#judgeErased(seq, erasure);
    if (erasure !== undefined) return change(`has its payload again, which was erased as record ${erasure.seq} says`);
    return commitmentOf(salt, payload) === header.commitment ? undefined : change('was changed: its payload is not the one that its header commits to');
  }

  /**
   * Of the record of an erasure itself, which comes after all that it erased.
   * @param first the first record that was read: of those before it nothing is known
   */
  checkCount(seq: number, first: number): Problem | undefined {
    const erasure = this.#bySeq.get(seq);
    if (erasure === undefined) return undefined;
    const { found, count, from } = erasure;
    if (found === count || (from < first && found < count)) return undefined;
    return tampered(seq, 'fact', `record ${seq} says that ${count} payloads were erased, and ${found} are`);
  }

  #judgeErased(seq: number, erasure: Counted | undefined): Problem | undefined {
    if (erasure !== undefined) {
      erasure.found += 1;
      this.#erased += 1;
      return undefined;
    }
    if (this.#isWhole) return tampered(seq, 'payload', `the payload of record ${seq} is gone, and no record says that it was erased, or could be at its age`);
    const what = `the payload of record ${seq} is gone, and no record here says that it was erased: it was taken away, unless a later part of the log says so`;
    return { seq, code: 'payload', what, verdict: 'incomplete' };
  }

  #moveTo(seq: number): void {
    let hasChanged = false;
    for (let next = this.#coming.at(-1); next !== undefined && next.from <= seq; next = this.#coming.at(-1)) {
      this.#current.push(next);
      this.#coming.pop();
      hasChanged = true;
    }
    if (hasChanged) this.#current.sort((one, other) => one.seq - other.seq);
    if (this.#current.some(({ upTo }) => upTo < seq)) this.#current = this.#current.filter(({ upTo }) => upTo >= seq);
  }
}
