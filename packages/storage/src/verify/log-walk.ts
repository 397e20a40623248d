import type { StoredRecord } from '../chain/record.ts';
import { type AnchorOptions, Anchors } from './anchors.ts';
import { Calls } from './calls.ts';
import { ChainWalk, type LinkedRecord } from './chain-walk.ts';
import { type CollectedFacts, isCollected } from './collect-facts.ts';
import { Erasures } from './erasures.ts';
import type { Pruning } from './facts.ts';
import { LogFacts } from './log-facts.ts';
import type { RecordSource, SourceFailure, SurroundingFacts } from './record-source.ts';
import { type Findings, type PlaceInLog, type Problem, tampered, type VerifyReport } from './report.ts';

export interface LogWalkOptions {
  readonly source: Pick<RecordSource, 'isWhole' | 'hasPruned'>;
  readonly facts: CollectedFacts;
  readonly anchors: Omit<AnchorOptions, 'store'>;
  /** Whether some head must be signed by the key. */
  readonly isKeyExpected: boolean;
}

/** All that is checked of the records, one after the other. */
export class LogWalk {
  readonly #chain = new ChainWalk();
  readonly #calls = new Calls();
  readonly #anchors: Anchors;
  readonly #erasures: Erasures;
  readonly #logFacts: LogFacts;
  readonly #options: LogWalkOptions;
  #first: PlaceInLog | undefined;
  #records = 0;
  #metFacts = 0;
  #isOver = false;

  constructor(options: LogWalkOptions) {
    const { source, facts, anchors } = options;
    this.#options = options;
    this.#anchors = new Anchors({ ...anchors, store: facts.store });
    this.#erasures = new Erasures(facts.erasures, source.isWhole && facts.isComplete);
    this.#logFacts = new LogFacts({ store: facts.store, prunings: facts.prunings, hasPruned: source.hasPruned, key: anchors.key });
  }

  get surroundingFacts(): Omit<SurroundingFacts, 'isRead' | 'signal'> {
    return { prunings: this.#options.facts.prunings, openCalls: this.#calls.open, isExact: this.#calls.isExact };
  }

  /** Whether nothing can be said of the records that follow. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The first thing that is wrong with the record, or with the one before it. */
  take(record: StoredRecord): Problem | undefined {
    const linked = this.#chain.take(record);
    if (linked === undefined) return undefined;
    if ('what' in linked) {
      this.#isOver = true;
      return linked;
    }
    const start = this.#first === undefined ? this.#begin(linked) : undefined;
    const problem = worseOf(start, this.#check(linked));
    if (problem?.verdict !== 'tampered') this.#records += 1;
    return problem;
  }

  /** What only the end shows. */
  end(): readonly Problem[] {
    const last = this.#chain.end();
    if (last !== undefined) return [last];
    return [...this.#missedFact(), ...this.#anchors.end(this.#chain.last), ...this.#missedKey()];
  }

  /** Reading ended before the records did. */
  endEarly(problem: SourceFailure['problem']): readonly Problem[] {
    const last = this.#chain.end();
    return [...(last === undefined ? [] : [last]), { ...problem, seq: problem.seq === undefined ? this.#chain.expected : problem.seq }];
  }

  report(findings: Findings): VerifyReport {
    const anchor = this.#anchors.agreed;
    const last = this.#chain.last ?? null;
    return {
      verdict: findings.verdict,
      records: this.#records,
      first: this.#first ?? null,
      last,
      problem: findings.worst,
      problems: findings.count,
      heads: this.#anchors.heads,
      anchor: anchor ?? 'none',
      unanchored: anchor === undefined ? this.#records : (last?.seq ?? 0) - anchor.seq,
      store: this.#options.facts.store ?? null,
      erased: this.#erasures.erased,
      ownHeads: this.#logFacts.ownHeads,
      keyHead: this.#logFacts.keyHead ?? null,
      adopted: this.#anchors.adopted.map(({ seq, from }) => ({ seq, upTo: from?.seq ?? null })),
    };
  }

  #begin(linked: LinkedRecord): Problem | undefined {
    const { record: { seq }, leaf, header: { timestamp, prev } } = linked;
    this.#first = { seq, leaf, timestamp };
    const { facts, source } = this.#options;
    const problem = checkStart(linked, facts.prunings, source.isWhole && facts.isComplete);
    // The last record that was pruned is not here, and still it is known.
    return problem ?? (seq === 1 ? undefined : this.#anchors.check({ seq: seq - 1, leaf: prev }));
  }

  /** All of them, each time: what is only missing must not keep the others from seeing the record. */
  #check(linked: LinkedRecord): Problem | undefined {
    const { record: { seq }, header, leaf } = linked;
    const first = this.#first?.seq ?? seq;
    let problem = this.#erasures.check(linked);
    problem = worseOf(problem, this.#logFacts.check(linked));
    problem = worseOf(problem, this.#meet(linked));
    problem = worseOf(problem, this.#erasures.checkCount(seq, first));
    problem = worseOf(problem, this.#calls.check(linked, first));
    problem = worseOf(problem, this.#anchors.check({ seq, leaf, header }));
    return worseOf(problem, unknownKind(seq, header));
  }

  /** What explained erasures in the first reading must be there in the second: neither an index nor a swapped file may say otherwise. */
  #meet({ record: { seq }, header: { kind }, leaf }: LinkedRecord): Problem | undefined {
    if (!isCollected(kind)) return undefined;
    const met = this.#options.facts.met[this.#metFacts];
    this.#metFacts += 1;
    if (met?.seq === seq && met.leaf === leaf) return undefined;
    return tampered(seq, 'database', `record ${seq} was not found by its kind: an index hides it, or the log was changed while it was read`);
  }

  #missedFact(): readonly Problem[] {
    const missed = this.#options.facts.met[this.#metFacts];
    return missed === undefined ? [] : [tampered(missed.seq, 'database', `record ${missed.seq} was found by its kind and not in its place: the log was changed while it was read`)];
  }

  /** Who names a key wants to hear that it vouches: a log that somebody else wrote and signed is whole in itself. */
  #missedKey(): readonly Problem[] {
    if (!this.#options.isKeyExpected || this.#anchors.isSigned || this.#logFacts.isSigned) return [];
    return [{ seq: null, code: 'anchor', what: 'no head of it, in the log or beside it, is signed by the key that was asked for', verdict: 'unknown' }];
  }
}

function unknownKind(seq: number, { sort, kind }: LinkedRecord['header']): Problem | undefined {
  if (sort !== 'unknown') return undefined;
  return { seq, code: 'newer', what: `record ${seq} is of a kind that this devs does not know: ${JSON.stringify(kind).slice(0, 80)}`, verdict: 'unknown' };
}

function worseOf(one: Problem | undefined, other: Problem | undefined): Problem | undefined {
  return one === undefined || (other?.verdict === 'tampered' && one.verdict !== 'tampered') ? other : one;
}

/** Whether the first record may be the first: it is record 1, or those before it were pruned and a record says so. */
function checkStart({ record: { seq }, header: { prev } }: LinkedRecord, prunings: readonly Pruning[], isWhole: boolean): Problem | undefined {
  if (seq === 1) return undefined;
  const pruning = prunings.find(({ upTo }) => upTo === seq - 1);
  if (pruning !== undefined) {
    if (pruning.leaf === prev) return undefined;
    return tampered(seq, 'start', `record ${seq} does not follow the last one that was pruned, as record ${pruning.seq} names it`);
  }
  const missing = prunings.reduce((most, { upTo }) => (upTo < seq ? Math.max(most, upTo) : most), 0) + 1;
  if (isWhole) return tampered(missing, 'start', `records ${missing} to ${seq - 1} are missing, and no record says that they were pruned`);
  const what = `it begins at record ${seq}: nothing here says what became of the records before; give the other parts of the log too`;
  return { seq: missing, code: 'start', what, verdict: 'incomplete' };
}
