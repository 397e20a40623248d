import type { KeyObject } from 'node:crypto';
import type { HeadProblem } from '../heads/examine.ts';
import { readPublicKey } from '../heads/public-key.ts';
import type { FoundHead } from '../heads/read-heads.ts';
import { judgeHead, type HeadVerdict } from '../heads/signed-head.ts';
import { Adoptions, type Adoption } from './adoptions.ts';
import type { ReadHeader } from './read-header.ts';
import { tampered, type Anchoring, type PlaceInLog, type Problem } from './report.ts';

/** A head or receipt of this log whose signature, where it has one, holds. */
interface Anchor extends Anchoring {
  readonly leaf: string;
  /** In words, as in "the head in line 7". */
  readonly where: string;
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

/** A record that was read; of the last one that was pruned nothing else is known. */
export interface CheckedRecord extends Pick<PlaceInLog, 'seq' | 'leaf'> {
  readonly header?: Pick<ReadHeader, 'kind' | 'members'>;
}

const REFUSED: Readonly<Record<Exclude<HeadVerdict, 'valid'>, string>> = {
  'other key': 'is signed by another key',
  'bad signature': 'was changed: its signature does not hold',
  malformed: 'is not one',
};

/** Holds the log against what was kept outside of it. */
export class Anchors {
  readonly #options: AnchorOptions;
  /** Heads that say to be of this log, and cannot be believed. */
  readonly #refused: string[] = [];
  /** Those of other logs: several share a system log. */
  #foreign = 0;
  /** A head whose signature holds stands among them, of whatever log. */
  readonly #hasHead: boolean;
  /** By `seq`. */
  readonly #anchors: readonly Anchor[];
  readonly #adoptions = new Adoptions();
  /** They do not agree with the record that was read last, and the one after it may say why. */
  #waiting: readonly Anchor[] = [];
  /** Of a branch that the log says it gave up. */
  readonly #givenUp: { readonly anchor: Anchor; readonly adoption: Adoption }[] = [];
  /** Up to here the key that was given vouches for the log. */
  #covered = 0;
  #next = 0;
  #agreed: Anchor | undefined;
  #checked = 0;

  constructor(options: AnchorOptions) {
    this.#options = options;
    const anchors = options.found.flatMap((found) => this.#judge(found) ?? []).toSorted((one, other) => one.seq - other.seq);
    this.#anchors = anchors;
    this.#hasHead = this.#foreign > 0 || anchors.some(({ kind }) => kind === 'head');
  }

  get heads(): { readonly given: number; readonly checked: number } {
    return { given: this.#options.found.length, checked: this.#checked };
  }

  get agreed(): Anchoring | undefined {
    if (this.#agreed === undefined) return undefined;
    const { seq, kind, timestamp, signature } = this.#agreed;
    return { seq, kind, timestamp, signature };
  }

  /** Whether the given key signed a head of this log, wherever in it. */
  get isSigned(): boolean {
    return this.#anchors.some(({ signature }) => signature === 'pinned');
  }

  /** What the log says that it gave up. */
  get adopted(): readonly Adoption[] {
    return this.#adoptions.met;
  }

  /** Of a record, in order; also of the one before the first, which the first one names. */
  check({ seq, leaf, header }: CheckedRecord): Problem | undefined {
    if (header !== undefined) this.#adoptions.take(seq, header);
    const before = this.#waiting;
    const here = this.#meet(seq, leaf);
    if (before.length === 0 && here.length === 0) return undefined;
    // An adoption opens the log, and says behind that what it gave up: the other branch may have had a record here too.
    const mayBeExplained = header?.kind === 'audit.opened';
    this.#waiting = mayBeExplained ? here : [];
    const problems = [...before, ...(mayBeExplained ? [] : here)].flatMap((anchor) => this.#differ(anchor) ?? []);
    return problems.find(({ verdict }) => verdict === 'tampered') ?? problems[0];
  }

  /** When the last record was read. */
  end(last: PlaceInLog | undefined): readonly Problem[] {
    const lastSeq = last?.seq ?? 0;
    const late = this.#anchors.filter(({ seq }) => seq > lastSeq).flatMap((anchor) => this.#miss(anchor, lastSeq) ?? []);
    const differing = this.#waiting.flatMap((anchor) => this.#differ(anchor) ?? []);
    const notGivenUp = this.#givenUp.filter(({ adoption }) => adoption.seq > this.#covered).map(({ anchor }) => this.#changed(anchor));
    // The last one that is missing says the most, and of those as bad the first is told.
    const problems = [...differing, ...notGivenUp, ...late.toReversed()];
    return problems.length > 0 || this.#isHeld() ? problems : [this.#unusable()];
  }

  /** Those at this record that do not agree with it. */
  #meet(seq: number, leaf: string): readonly Anchor[] {
    const differing: Anchor[] = [];
    for (let anchor = this.#anchors[this.#next]; anchor !== undefined && anchor.seq <= seq; anchor = this.#anchors[this.#next]) {
      this.#next += 1;
      if (anchor.seq < seq) continue;
      if (anchor.leaf === leaf) this.#agree(anchor);
      else differing.push(anchor);
    }
    return differing;
  }

  /** Whether there is nothing to say of what was given. */
  #isHeld(): boolean {
    const { found, areShared } = this.#options;
    if (found.length === 0 || this.#agreed !== undefined) return true;
    return areShared && this.#anchors.length === 0 && this.#refused.length === 0;
  }

  #agree(anchor: Anchor): void {
    this.#checked += 1;
    if (anchor.signature === 'pinned') this.#covered = anchor.seq;
    // Of two at one record the head says more.
    if (this.#isBelieved(anchor) && !(this.#agreed?.seq === anchor.seq && this.#agreed.kind === 'head')) this.#agreed = anchor;
  }

  /**
   * Whoever may write to the system log may write a receipt into it, which nobody signs. So beside heads, which they
   * cannot make, it neither vouches for a log nor accuses one.
   */
  #isBelieved({ kind }: Anchor): boolean {
    return kind === 'head' || !this.#hasHead;
  }

  /** @returns undefined while the log may explain it */
  #differ(anchor: Anchor): Problem | undefined {
    const adoption = this.#adoptions.givingUp(anchor);
    if (adoption === undefined) return this.#changed(anchor);
    this.#givenUp.push({ anchor, adoption });
    return undefined;
  }

  #changed(anchor: Anchor): Problem {
    const { seq, kind, where } = anchor;
    const what = `record ${seq} is not the one of the ${kind} in ${where}`;
    return this.#isBelieved(anchor) ? tampered(seq, 'anchor', `${what}: it, or a record before it, was written anew`) : doubt(`${what}, ${UNSIGNED}`);
  }

  /** The log ends before it. */
  #miss(anchor: Anchor, lastSeq: number): Problem | undefined {
    const { seq, kind, where } = anchor;
    const adoption = this.#adoptions.givingUp(anchor);
    if (adoption !== undefined && adoption.seq <= this.#covered) return undefined;
    const what = `the log ends at record ${lastSeq}, and the ${kind} in ${where} was made at record ${seq}`;
    return this.#isBelieved(anchor) ? tampered(lastSeq + 1, 'cut', `${what}: its end was cut off, or this is an older copy`) : doubt(`${what}, ${UNSIGNED}`);
  }

  /** None of them could be held against it. */
  #unusable(): Problem {
    if (this.#anchors.some((anchor) => this.#isBelieved(anchor))) return doubt('all heads and receipts are of records that are not here, before the first one');
    // A head of this log that somebody else signed may be one of a key that was lost.
    if (this.#refused.length > 0) return doubt(`no head can be used: ${this.#refused.slice(0, 3).join('; ')}`);
    if (this.#foreign > 0) return tampered(null, 'anchor', `none of the heads is of this log, ${this.#options.store ?? 'which has no name'}: it is another one than they were signed for`);
    return doubt('no head can be used: they are of other logs, and none of them is signed as it says');
  }

  #judge(found: FoundHead): Anchor | undefined {
    const where = found.file ?? `line ${found.line}`;
    if (found.kind === 'receipt') return { kind: 'receipt', where, seq: found.seq, leaf: found.leaf, timestamp: null, signature: 'none' };
    const { key } = this.#options;
    const verdict = judgeHead(found.signed, key ?? readPublicKey(found.head.key));
    const isForeign = this.#isForeign(found.head.store);
    if (isForeign && verdict === 'valid') this.#foreign += 1;
    // Left out, not believed: whoever may write to the system log could else call an honest log tampered.
    else if (!isForeign && verdict !== 'valid') this.#refused.push(`the head in ${where} ${REFUSED[verdict]}`);
    if (isForeign || verdict !== 'valid') return undefined;
    const { seq, leaf, timestamp } = found.head;
    return { kind: 'head', where, seq, leaf, timestamp, signature: key === undefined ? 'own' : 'pinned' };
  }

  /** A log without a name is none of those whose heads lie here: they have names. */
  #isForeign(store: string): boolean {
    const { store: own, areShared } = this.#options;
    return own === undefined ? areShared : store !== own;
  }
}

const UNSIGNED = 'which nobody signed: beside signed heads it is not believed';

/** Accuses no record. */
function doubt(what: string): Problem {
  return { seq: null, code: 'anchor', what, verdict: 'unknown' };
}

/** What devs remembers of the log and of its place, where that speaks against it. */
export function toProblem({ what, isUnread, isOtherKey }: HeadProblem): Problem {
  const clause = `${what.charAt(0).toLowerCase()}${what.slice(1)}`.replace(/\.$/, '');
  return isUnread === true || isOtherKey === true ? doubt(clause) : tampered(null, 'anchor', clause);
}
