import { NO_LEAF } from '../chain/header.ts';
import { LEAF_BYTES, leafOf, type StoredRecord } from '../chain/record.ts';
import { isFault, linkOf, readHeader, type ReadHeader } from './read-header.ts';
import { tampered, type PlaceInLog, type Problem } from './report.ts';

/** A record whose place in the chain is right. */
export interface LinkedRecord {
  readonly record: StoredRecord;
  readonly header: ReadHeader;
  /** 64 hexadecimal digits. */
  readonly leaf: string;
}

/** A link that does not fit: which of two records was changed, the record after them tells. */
interface Suspicion {
  /** The record after which it will be clear. */
  readonly seq: number;
  /** @param link what the next record names as the one before it */
  readonly judge: (next: { readonly seq: number; readonly link: string | undefined } | undefined) => Problem;
}

/** Follows the chain, record by record: numbers, hashes, links. */
export class ChainWalk {
  #last: PlaceInLog | undefined;
  #suspicion: Suspicion | undefined;

  /** The last record that is right. */
  get last(): PlaceInLog | undefined {
    return this.#last;
  }

  /** Where reading goes on: the record that is to come. */
  get expected(): number {
    return (this.#last?.seq ?? 0) + 1;
  }

  /** Whether something is wrong, and it takes the next record to say with which. */
  get isSuspicious(): boolean {
    return this.#suspicion !== undefined;
  }

  /** Undefined: something is wrong, and the next record or `end` will say with which. */
  take(record: StoredRecord): LinkedRecord | Problem | undefined {
    if (this.#suspicion !== undefined) return this.#suspicion.judge({ seq: record.seq, link: linkOf(record.header) });
    return this.#orderOf(record) ?? this.#follow(record);
  }

  /** When there is no next record. */
  end(): Problem | undefined {
    return this.#suspicion?.judge(undefined);
  }

  #orderOf({ seq }: StoredRecord): Problem | undefined {
    if (this.#last === undefined || seq === this.expected) return undefined;
    const last = this.#last.seq;
    if (seq > last) return tampered(last + 1, 'gap', `record ${last + 1} is missing: after record ${last} comes record ${seq}`);
    return tampered(seq, 'gap', `record ${seq} is there twice or in the wrong place: it comes after record ${last}`);
  }

  #follow(record: StoredRecord): LinkedRecord | Problem | undefined {
    if (record.leaf.length !== LEAF_BYTES) return this.#faulty(record, { code: 'form', what: 'has a leaf that is no hash' });
    const stored = toHex(record.leaf);
    const computed = leafOf(record.header);
    if (stored !== computed) return this.#suspect(changedAlone(record.seq, { stored, computed }));
    const header = readHeader(record.header, record.seq);
    if (isFault(header)) return this.#faulty(record, header);
    const before = this.#last;
    if (header.prev !== (before?.leaf ?? this.#firstLink(record.seq, header))) return this.#suspect(unlinked(before, { seq: record.seq, leaf: stored }));
    this.#last = { seq: record.seq, leaf: stored, timestamp: header.timestamp };
    return { record, header, leaf: stored };
  }

  /** Before the first record that there is, nothing is known but of record 1. */
  #firstLink(seq: number, { prev }: ReadHeader): string {
    return seq === 1 ? NO_LEAF : prev;
  }

  #faulty({ seq }: StoredRecord, { code, what }: Pick<Problem, 'code' | 'what'>): Problem {
    return { seq, code, what: `record ${seq} ${what}`, verdict: code === 'newer' ? 'unknown' : 'tampered' };
  }

  #suspect(suspicion: Suspicion): undefined {
    this.#suspicion = suspicion;
    return undefined;
  }
}

/** Without a copy: it is asked of every record. */
function toHex({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}

/** Header and leaf of one record differ: the next record names the one that was there. */
function changedAlone(seq: number, { stored, computed }: { readonly stored: string; readonly computed: string }): Suspicion {
  const say = (what: string) => tampered(seq, 'chain', `record ${seq} was changed: ${what}`);
  return {
    seq,
    judge: (next) => {
      if (next?.link === stored) return say(`its hash is not the one that record ${next.seq} names`);
      if (next?.link === computed) return say(`the leaf beside it is not its hash, which record ${next.seq} names`);
      return say('its hash is not the leaf that is stored beside it');
    },
  };
}

/** A record names another one before it than there is: one of the two was changed with its leaf. */
function unlinked(before: PlaceInLog | undefined, { seq, leaf }: { readonly seq: number; readonly leaf: string }): Suspicion {
  return {
    seq,
    judge: (next) => {
      if (before === undefined) return tampered(seq, 'chain', `record ${seq} is not the first: it names a record before it`);
      if (next !== undefined && next.link !== leaf) return tampered(seq, 'chain', `record ${seq} was changed: it names another record before it, and record ${next.seq} names another hash than it has`);
      return tampered(before.seq, 'chain', `record ${before.seq} is not the one that record ${seq} names: it, or any record before it, was written anew`);
    },
  };
}
