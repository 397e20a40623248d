import type { KeyObject } from 'node:crypto';
import { isRecord } from '@devs/core';
import { LEAF_BYTES } from '../chain/record.ts';
import { readPublicKey, toKeyId } from '../heads/public-key.ts';
import { judgeHead, toHead, toSignedHead, type Head, type SignedHead } from '../heads/signed-head.ts';
import type { LinkedRecord } from './chain-walk.ts';
import { isOldEnough, toErasure, toPruning, type Pruning } from './facts.ts';
import { describe } from './read-header.ts';
import { tampered, type Problem, type VerifyReport } from './report.ts';

/** Leaves that are remembered, to hold the log's own heads against. devs signs the latest record. */
const REMEMBERED_LEAVES = 16_384;

export interface LogFactsOptions {
  /** Which log it is; undefined of a log without a fact. */
  readonly store: string | undefined;
  readonly prunings: readonly Pruning[];
  /** Whether the pruned records may be read too, from their archives. */
  readonly hasPruned: boolean;
  /** Whom to believe. */
  readonly key: KeyObject | undefined;
}

/** What the log says of itself, held against what it is. */
export class LogFacts {
  readonly #options: LogFactsOptions;
  readonly #leaves = Buffer.alloc(REMEMBERED_LEAVES * LEAF_BYTES);
  readonly #prunedAt: ReadonlyMap<number, readonly Pruning[]>;
  readonly #keyId: string | undefined;
  #first = 0;
  #ownHeads = 0;
  #isSigned = false;
  #keyHead: NonNullable<VerifyReport['keyHead']> | undefined;

  constructor(options: LogFactsOptions) {
    this.#options = options;
    this.#keyId = options.key && toKeyId(options.key);
    this.#prunedAt = Map.groupBy(options.prunings, ({ upTo }) => upTo);
  }

  get ownHeads(): number {
    return this.#ownHeads;
  }

  /** The newest head of the given key that agrees with the chain. */
  get keyHead(): VerifyReport['keyHead'] | undefined {
    return this.#keyHead;
  }

  /** Whether the given key signed a head in the log, also one of a record that is not here to hold it against. */
  get isSigned(): boolean {
    return this.#isSigned;
  }

  check(linked: LinkedRecord): Problem | undefined {
    const { header, leaf, record } = linked;
    if (this.#first === 0) this.#first = record.seq;
    this.#leaves.write(leaf, (record.seq % REMEMBERED_LEAVES) * LEAF_BYTES, 'hex');
    return this.#checkPrunedLeaf(linked) ?? (header.sort === 'fact' ? this.#checkFact(linked) : undefined);
  }

  #checkFact(linked: LinkedRecord): Problem | undefined {
    const { record: { seq }, header: { kind, members } } = linked;
    const { store } = this.#options;
    if (store === undefined) return tampered(seq, 'database', `record ${seq} was not found by its kind: an index hides it`);
    if (members['store'] !== store) return tampered(seq, 'fact', `record ${seq} is of another log: it says ${describe(members['store'])}, and the others ${describe(store)}`);
    if (kind === 'audit.erased') return this.#checkErasure(linked);
    if (kind === 'audit.pruned') return this.#checkPruning(linked);
    if (kind === 'audit.adopted') return this.#checkAdoption(linked);
    return kind === 'audit.head' ? this.#checkHead(linked) : undefined;
  }

  /** It must name the record right before it, which somebody looked at. */
  #checkAdoption({ record: { seq }, header: { members, prev } }: LinkedRecord): Problem | undefined {
    const { at } = members;
    if (isRecord(at) && at['seq'] === seq - 1 && at['leaf'] === prev) return undefined;
    return tampered(seq, 'fact', `record ${seq} says that the log was adopted, and not in the form of devs`);
  }

  #checkErasure({ record: { seq }, header }: LinkedRecord): Problem | undefined {
    const erasure = toErasure(header);
    if (erasure === undefined) return tampered(seq, 'fact', `record ${seq} says what was erased, and not in the form of devs`);
    if (isOldEnough(erasure, header.timestamp)) return undefined;
    return tampered(seq, 'fact', `record ${seq} erased payloads that were too young: it says ${erasure.days} days, written ${describe(header.timestamp)}, of records before ${describe(erasure.before)}`);
  }

  #checkPruning({ record: { seq }, header }: LinkedRecord): Problem | undefined {
    const pruning = toPruning(header);
    if (pruning === undefined) return tampered(seq, 'fact', `record ${seq} says what was pruned, and not in the form of devs`);
    if (!this.#options.hasPruned && pruning.upTo >= this.#first) {
      return tampered(seq, 'fact', `record ${seq} says that the records up to ${pruning.upTo} left the log, and record ${this.#first} is there`);
    }
    const expected = this.#countPruned(pruning);
    if (expected !== undefined && expected !== pruning.records) return tampered(seq, 'fact', `record ${seq} says that ${pruning.records} records left the log, and ${expected} did`);
    return pruning.head === null ? undefined : this.#checkSigned(seq, pruning.head, pruning.upTo);
  }

  /** Since the pruning before it, where that is known: its record may have left the log too. */
  #countPruned({ seq, upTo }: Pruning): number | undefined {
    const before = this.#options.prunings.findLast((pruning) => pruning.seq < seq);
    if (before === undefined) return this.#first === 1 ? upTo : undefined;
    return upTo - before.upTo;
  }

  /** That what left the log is what is read now, from its archive. */
  #checkPrunedLeaf({ record: { seq }, leaf }: LinkedRecord): Problem | undefined {
    const wrong = this.#prunedAt.get(seq)?.find((pruning) => pruning.leaf !== leaf);
    return wrong && tampered(seq, 'fact', `record ${seq} is not the one that left the log as record ${wrong.seq} says`);
  }

  /** A head that the log carries can be left out by whoever writes the log anew, but not be made. */
  #checkHead({ record: { seq }, header: { members } }: LinkedRecord): Problem | undefined {
    const { head, signature } = members;
    const signed = toSignedHead({ head, signature });
    return signed === undefined ? notAHead(seq) : this.#checkSigned(seq, signed, 1);
  }

  /** @param least what it must at least have been signed over */
  #checkSigned(seq: number, signed: SignedHead, least: number): Problem | undefined {
    const head = toHead(signed.head);
    if (head === undefined || head.seq >= seq || head.seq < least) return notAHead(seq);
    if (head.store !== this.#options.store) return tampered(seq, 'fact', `record ${seq} holds a head of another log`);
    // By the key that it names: whose that is, is asked of heads that were kept elsewhere.
    if (judgeHead(signed, readPublicKey(head.key)) !== 'valid') return tampered(seq, 'fact', `record ${seq} holds a head whose signature does not hold`);
    if (head.key === this.#keyId) this.#isSigned = true;
    if (head.seq < this.#first || seq - head.seq >= REMEMBERED_LEAVES) return undefined;
    const at = (head.seq % REMEMBERED_LEAVES) * LEAF_BYTES;
    if (this.#leaves.toString('hex', at, at + LEAF_BYTES) !== head.leaf) return tampered(head.seq, 'fact', `record ${head.seq} is not the one that was signed in record ${seq}: it, or a record before it, was written anew`);
    this.#agree(head);
    return undefined;
  }

  #agree({ seq, timestamp, key }: Head): void {
    this.#ownHeads += 1;
    if (key === this.#keyId && seq >= (this.#keyHead?.seq ?? 0)) this.#keyHead = { seq, timestamp };
  }
}

function notAHead(seq: number): Problem {
  return tampered(seq, 'fact', `record ${seq} holds a head, and not in the form of devs`);
}
