import type Database from 'better-sqlite3';
import type { ErasureSpan, PlaceInTime, PruningSpan } from './archive-plan.ts';
import { latestCredible, type Moment } from './clock.ts';

/**
 * Of one transaction: calls wait for it. What is held at once, what the journal grows by and how long the lock is kept
 * all follow from it.
 */
const MOST_ERASED = 1_000;
const MOST_ERASED_BYTES = 8_388_608;
const MOST_PRUNED = 10_000;
const MOST_PRUNED_BYTES = 67_108_864;

export interface ErasureSurvey {
  readonly spans: readonly ErasureSpan[];
  readonly from: PlaceInTime | null;
  readonly upTo: PlaceInTime | null;
  readonly held: number;
}

interface PayloadRow extends PlaceInTime {
  readonly bytes: number;
  readonly isHeld: 0 | 1;
}

// Compared as texts, as whoever verifies compares them. A call without an outcome may still need its payload, and whoever
// reads an outcome that is younger wants to know what was asked. One that is only dated so is an outcome.
const PAYLOADS = `SELECT seq, timestamp, octet_length(payload) AS bytes,
  status IS NULL AND NOT EXISTS (
    SELECT 1 FROM records AS outcome
    WHERE outcome.call_id = records.call_id AND outcome.status IS NOT NULL
      AND (outcome.timestamp < $before OR (outcome.seq <= $ignored AND outcome.timestamp > $after))
  ) AS isHeld
FROM records NOT INDEXED WHERE seq BETWEEN $from AND $upTo AND payload IS NOT NULL AND timestamp < $before ORDER BY seq`;

export interface ErasureQuestion extends Moment {
  readonly from: number;
  readonly upTo: number;
  /** ISO 8601. */
  readonly before: string;
}

/** Which payloads are to be erased. No span goes over one that is old and stays: its fact would say that it is gone. */
export function surveyErasure(database: Database.Database, { from: first, upTo: end, before, now, ignored }: ErasureQuestion): ErasureSurvey {
  const spans: ErasureSpan[] = [];
  let from: PlaceInTime | null = null;
  let upTo: PlaceInTime | null = null;
  let [held, isBroken] = [0, true];
  const question = { from: first, upTo: end, before, ignored, after: latestCredible(now) };
  for (const { seq, timestamp, bytes, isHeld } of database.prepare<typeof question, PayloadRow>(PAYLOADS).iterate(question)) {
    if (isHeld === 1 || !isTime(timestamp)) {
      held += 1;
      isBroken = true;
      continue;
    }
    from ??= { seq, timestamp };
    upTo = { seq, timestamp };
    const last = isBroken ? undefined : spans.at(-1);
    isBroken = false;
    if (last === undefined || last.payloads === MOST_ERASED || last.bytes + bytes > MOST_ERASED_BYTES) spans.push({ from: seq, upTo: seq, payloads: 1, bytes });
    else spans[spans.length - 1] = { from: last.from, upTo: seq, payloads: last.payloads + 1, bytes: last.bytes + bytes };
  }
  return { spans, from, upTo, held };
}

export interface PruningSurvey {
  readonly spans: readonly PruningSpan[];
  readonly from: PlaceInTime | null;
  readonly upTo: PlaceInTime | null;
  readonly heldAt: number | null;
  readonly misdatedAt: number | null;
}

interface PruningRow extends PlaceInTime {
  readonly bytes: number;
  readonly hasPayload: 0 | 1;
  readonly kind: string;
  readonly callId: string | null;
  readonly status: string | null;
}

const RECORDS = `SELECT seq, timestamp, kind, call_id AS callId, status, payload IS NOT NULL AS hasPayload,
  octet_length(header) + coalesce(octet_length(payload), 0) AS bytes
FROM records NOT INDEXED ORDER BY seq`;

export interface PruningQuestion extends Moment {
  /** ISO 8601. */
  readonly before: string;
  /** Whether payloads are to be erased some day: an archive would keep what is not yet. */
  readonly isErased: boolean;
}

/** The records that are old from the first on, up to where each call is whole on one side. */
export function surveyPruning(database: Database.Database, { before, now, ignored, isErased }: PruningQuestion): PruningSurvey {
  const cut = new Cut();
  const after = latestCredible(now);
  let misdatedAt: number | null = null;
  for (const row of database.prepare<[], PruningRow>(RECORDS).iterate()) {
    const { seq, timestamp } = row;
    const isOld = timestamp < before;
    const isMisdated = seq <= ignored && timestamp > after;
    // Younger ones after it may be followed by older ones, of calls that took long: only a prefix can leave.
    if (!isTime(timestamp) || (!isOld && !isMisdated)) break;
    if (isMisdated && isErased && row.hasPayload === 1) misdatedAt ??= seq;
    if (misdatedAt === null) cut.take(row, isOld);
    // Said only when it keeps something: a record after it that is old by its own time.
    else if (isOld) return { ...cut.end(), misdatedAt };
  }
  return { ...cut.end(), misdatedAt: null };
}

/** Where a log can be cut: no call has records on both sides. */
class Cut {
  readonly #spans: PruningSpan[] = [];
  /** Calls that began before the current record, and did not end before it. */
  readonly #open = new Map<string, number>();
  /** Since the end of the last span: up to where it can be cut, and up to here. */
  #whole: PruningSpan | undefined;
  #running: PruningSpan | undefined;
  #from: PlaceInTime | null = null;
  #upTo: PlaceInTime | null = null;

  /** @param isOld by its own time. One that is not is as old as one that is and comes after it: at its end nothing is cut */
  take({ seq, timestamp, bytes, kind, callId, status }: PruningRow, isOld: boolean): void {
    this.#from ??= { seq, timestamp };
    if (this.#whole !== undefined && isFull(this.#running, bytes)) this.#endSpan();
    const { from, records, bytes: before } = this.#running ?? { from: seq, records: 0, bytes: 0 };
    this.#running = { from, upTo: seq, records: records + 1, bytes: before + bytes };
    if (callId !== null && kind === 'call.started') this.#open.set(callId, seq);
    if (callId !== null && status !== null) this.#open.delete(callId);
    if (this.#open.size > 0 || !isOld) return;
    this.#whole = this.#running;
    this.#upTo = { seq, timestamp };
  }

  end(): Omit<PruningSurvey, 'misdatedAt'> {
    this.#endSpan();
    const [heldAt = null] = this.#open.values();
    return { spans: this.#spans, from: this.#upTo === null ? null : this.#from, upTo: this.#upTo, heldAt };
  }

  #endSpan(): void {
    if (this.#whole === undefined) return;
    this.#spans.push(this.#whole);
    const { upTo, records, bytes } = this.#whole;
    const rest = this.#running;
    this.#whole = undefined;
    this.#running = rest === undefined || rest.upTo === upTo ? undefined : { from: upTo + 1, upTo: rest.upTo, records: rest.records - records, bytes: rest.bytes - bytes };
  }
}

function isFull(span: PruningSpan | undefined, more: number): boolean {
  return span !== undefined && (span.records >= MOST_PRUNED || span.bytes + more > MOST_PRUNED_BYTES);
}

/** Only as `toISOString` writes it: times are compared as texts. */
function isTime(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text && text.length === ISO_LENGTH;
}

/** Of the years from 0 to 9999: later ones begin with a sign, and sort before all others. */
const ISO_LENGTH = 24;
