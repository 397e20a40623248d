import type { KeyObject } from 'node:crypto';
import { readPublicKey } from '../heads/public-key.ts';
import type { FoundHead } from '../heads/read-heads.ts';
import { judgeHead, type HeadVerdict } from '../heads/signed-head.ts';
import { tampered, type Anchoring, type PlaceInLog, type Problem } from './report.ts';

/** A head or receipt whose signature, where it has one, holds. */
interface Anchor extends Anchoring {
  readonly leaf: string;
  /** Null: of a receipt, which does not say. */
  readonly store: string | null;
  readonly line: number;
}

export interface AnchorOptions {
  readonly found: readonly FoundHead[];
  /** Whom to believe. Undefined: each head is held against the key that it names itself. */
  readonly key: KeyObject | undefined;
  /** Whether the heads are of several logs: then it is no finding that none is of this one. */
  readonly areShared: boolean;
  /** Which log it is. Undefined: no record of it says so. */
  readonly store: string | undefined;
}

const REFUSED: Readonly<Record<Exclude<HeadVerdict, 'valid'>, string>> = {
  'other key': 'is signed by another key',
  'bad signature': 'was changed: its signature does not hold',
  malformed: 'is not one',
};

/** Holds the log against what was kept outside of it. */
export class Anchors {
  readonly #given: number;
  readonly #store: string | undefined;
  readonly #areShared: boolean;
  readonly #refused: string[] = [];
  /** Several logs share a system log. */
  readonly #foreign: number;
  /** Those of this log, by `seq`. */
  readonly #anchors: readonly Anchor[];
  #next = 0;
  #agreed: Anchor | undefined;
  #checked = 0;

  constructor(options: AnchorOptions) {
    this.#given = options.found.length;
    this.#store = options.store;
    this.#areShared = options.areShared;
    const anchors = options.found.flatMap((found) => this.#judge(found, options.key) ?? []);
    this.#foreign = anchors.filter((anchor) => this.#isForeign(anchor)).length;
    this.#anchors = anchors.filter((anchor) => !this.#isForeign(anchor)).toSorted((one, other) => one.seq - other.seq);
  }

  get heads(): { readonly given: number; readonly checked: number } {
    return { given: this.#given, checked: this.#checked };
  }

  get agreed(): Anchoring | undefined {
    if (this.#agreed === undefined) return undefined;
    const { seq, kind, timestamp, signature } = this.#agreed;
    return { seq, kind, timestamp, signature };
  }

  /** Of a record, in order; also of the one before the first, which the first one names. */
  check({ seq, leaf }: Pick<PlaceInLog, 'seq' | 'leaf'>): Problem | undefined {
    for (let anchor = this.#anchors[this.#next]; anchor !== undefined && anchor.seq <= seq; anchor = this.#anchors[this.#next]) {
      this.#next += 1;
      if (anchor.seq < seq) continue;
      if (anchor.leaf !== leaf) return tampered(seq, 'anchor', `record ${seq} is not the one of the ${anchor.kind} in line ${anchor.line}: it, or a record before it, was written anew`);
      this.#checked += 1;
      this.#agreed = anchor;
    }
    return undefined;
  }

  /** When the last record was read. */
  end(last: PlaceInLog | undefined): Problem | undefined {
    const lastSeq = last?.seq ?? 0;
    const after = this.#anchors.at(-1);
    if (after !== undefined && after.seq > lastSeq) {
      const what = `the log ends at record ${lastSeq}, and the ${after.kind} in line ${after.line} was made at record ${after.seq}: its end was cut off, or this is an older copy`;
      return tampered(lastSeq + 1, 'cut', what);
    }
    if (this.#given === 0 || this.#checked > 0) return undefined;
    return this.#areShared && this.#anchors.length === 0 && this.#refused.length === 0 ? undefined : this.#unusable();
  }

  /** None of them could be held against it. */
  #unusable(): Problem {
    if (this.#anchors.length === 0 && this.#foreign > 0) return tampered(null, 'anchor', `none of the heads is of this log, ${this.#store}: it is another one than they were signed for`);
    const what = this.#anchors.length > 0 ? 'all heads and receipts are of records that are not here, before the first one' : `no head can be used: ${this.#refused.slice(0, 3).join('; ')}`;
    return { seq: null, code: 'anchor', what, verdict: 'unknown' };
  }

  #judge(found: FoundHead, key: KeyObject | undefined): readonly Anchor[] | undefined {
    const { line } = found;
    if (found.kind === 'receipt') return [{ kind: 'receipt', line, seq: found.seq, leaf: found.leaf, store: null, timestamp: null, signature: 'none' }];
    const verdict = judgeHead(found.signed, key ?? readPublicKey(found.head.key));
    if (verdict !== 'valid') {
      // Left out, not believed: whoever may write to the system log could else call an honest log tampered.
      this.#refused.push(`the head in line ${line} ${REFUSED[verdict]}`);
      return undefined;
    }
    const { seq, leaf, store, timestamp } = found.head;
    return [{ kind: 'head', line, seq, leaf, store, timestamp, signature: key === undefined ? 'own' : 'pinned' }];
  }

  #isForeign({ store }: Anchor): boolean {
    return store !== null && this.#store !== undefined && store !== this.#store;
  }
}
