/**
 * `intact`: nothing speaks against it. `tampered`: what lies there is not what devs wrote, by intent or by a broken disk.
 * `incomplete`: what is there is right, and a part is missing. `unknown`: from a newer devs, or an anchor that cannot be used.
 */
export type Verdict = 'intact' | 'tampered' | 'incomplete' | 'unknown';

export type ProblemCode =
  /** A line, a row or a header is not in the form in which devs writes it. */
  | 'form'
  /** Two records stand in a wrong order, or one between them is missing. */
  | 'gap'
  /** A header or a leaf was changed. */
  | 'chain'
  /** A payload was changed, taken away or put back. */
  | 'payload'
  /** A record says of the log what is not so. */
  | 'fact'
  /** The first records are missing. */
  | 'start'
  /** The last records are missing. */
  | 'cut'
  /** The records are not those of a head or receipt. */
  | 'anchor'
  /** Calls do not have one start and one outcome, or the list of open calls differs. */
  | 'calls'
  /** Tables, triggers or indexes are not those that devs makes, or do not agree with the records. */
  | 'database'
  /** The search index does not agree with the records. */
  | 'search'
  /** The file cannot be read to its end. */
  | 'damaged'
  /** A newer devs wrote it. */
  | 'newer'
  /** Larger or more than can be checked. */
  | 'limit';

export interface Problem {
  /** The record that it is about. Null: about no single one. */
  readonly seq: number | null;
  /** A sentence for an operator, without a full stop. */
  readonly what: string;
  readonly code: ProblemCode;
  readonly verdict: Exclude<Verdict, 'intact'>;
}

/** Where a record stands, and when it says that it was written. */
export interface PlaceInLog {
  readonly seq: number;
  /** 64 hexadecimal digits. */
  readonly leaf: string;
  readonly timestamp: string;
}

/** The newest of the heads and receipts that the log agrees with. */
export interface Anchoring {
  readonly seq: number;
  readonly kind: 'head' | 'receipt';
  /** Of a head: when it was signed. */
  readonly timestamp: string | null;
  /** `pinned`: by the key that was given. `own`: by the key that the head itself names, which proves little. */
  readonly signature: 'pinned' | 'own' | 'none';
}

export interface VerifyReport {
  readonly verdict: Verdict;
  /** That were read, up to the first problem. Nothing but an anchor vouches for those before a break of the chain. */
  readonly records: number;
  readonly first: PlaceInLog | null;
  readonly last: PlaceInLog | null;
  /** The worst; of several as bad, the one with the lowest `seq`. Undefined of an intact log. */
  readonly problem: Problem | undefined;
  /** How many were met until it was clear which is the first. */
  readonly problems: number;
  /** Heads and receipts that were held against the log. */
  readonly heads: { readonly given: number; readonly checked: number };
  readonly anchor: 'none' | Anchoring;
  /** Records after the anchor, which nothing outside vouches for; without one, all. */
  readonly unanchored: number;
  /** Which log it is, 32 hexadecimal digits; null where no record says so. */
  readonly store: string | null;
  /** Payloads that are erased, and whose erasure is recorded. */
  readonly erased: number;
  /** Signed heads in the log itself that agree with its chain. */
  readonly ownHeads: number;
  /**
   * The newest of them that the given key signed; null where there is none, and where no key was given. Who lacks the
   * key can write nothing before it anew and keep it; what is after it can be cut off with it.
   */
  readonly keyHead: Pick<Anchoring, 'seq' | 'timestamp'> | null;
  /** Records that say that the log was adopted; `upTo`: the last head of the branch that was given up, null where none was known. */
  readonly adopted: readonly { readonly seq: number; readonly upTo: number | null }[];
}

const SEVERITY: Readonly<Record<Problem['verdict'], number>> = { tampered: 3, unknown: 2, incomplete: 1 };

/** What was found so far. */
export class Findings {
  #worst: Problem | undefined;
  #count = 0;

  get worst(): Problem | undefined {
    return this.#worst;
  }

  get count(): number {
    return this.#count;
  }

  get verdict(): Verdict {
    return this.#worst?.verdict ?? 'intact';
  }

  add(problem: Problem): void {
    this.#count += 1;
    if (this.#worst === undefined || isBefore(problem, this.#worst)) this.#worst = problem;
  }
}

function isBefore(problem: Problem, worst: Problem): boolean {
  const difference = SEVERITY[problem.verdict] - SEVERITY[worst.verdict];
  return difference > 0 || (difference === 0 && (problem.seq ?? Infinity) < (worst.seq ?? Infinity));
}

export function tampered(seq: number | null, code: ProblemCode, what: string): Problem {
  return { seq, code, what, verdict: 'tampered' };
}
