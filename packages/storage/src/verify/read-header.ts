import { isRecord } from '@devs/core';
import { RECORD_VERSION, type RecordKind } from '../chain/header.ts';
import type { Problem } from './report.ts';

/** Bytes of a header or payload. devs writes far smaller ones. */
export const MOST_TEXT_BYTES = 8_388_608;

/** A header that was read. `members` are all of it; those that are named were looked at. */
export interface ReadHeader {
  readonly prev: string;
  readonly timestamp: string;
  /** Hex; null: it never had a payload. */
  readonly commitment: string | null;
  /** `unknown`: of a newer devs. Its place in the chain is checked, what it says is not. */
  readonly sort: 'fact' | 'call' | 'unknown';
  readonly kind: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** What is wrong with a header, in words that follow "record 17". */
export type HeaderFault = Pick<Problem, 'code' | 'what'>;

/** Every kind, so that a new one does not compile until somebody has thought of it here. */
const SORTS: { readonly [Kind in RecordKind]: 'fact' | 'call' } = {
  'call.started': 'call',
  'call.finished': 'call',
  'call.denied': 'call',
  'call.orphaned': 'call',
  'call.suspended': 'call',
  'call.coalesced': 'fact',
  'approval.asked': 'fact',
  'approval.given': 'fact',
  'approval.refused': 'fact',
  'policy.changed': 'fact',
  'tool.changed': 'fact',
  'audit.opened': 'fact',
  'audit.closed': 'fact',
  'audit.erased': 'fact',
  'audit.pruned': 'fact',
  'audit.head': 'fact',
  'audit.adopted': 'fact',
};

const KINDS: ReadonlyMap<string, 'fact' | 'call'> = new Map(Object.entries(SORTS));
const OUTCOMES: ReadonlySet<string> = new Set(['call.finished', 'call.denied', 'call.orphaned']);
const LEAF = /^[0-9a-f]{64}$/;
const STORE = /^[0-9a-f]{32}$/;

/** Reads the header of record `seq`. Never throws, whatever the text is. */
export function readHeader(text: string, seq: number): ReadHeader | HeaderFault {
  const members = text.length > MOST_TEXT_BYTES ? undefined : parseExact(text);
  if (members === undefined) return form('has a header that is not the JSON that devs writes');
  const { v, kind, timestamp, prev, payload } = members;
  if (typeof v === 'number' && v > RECORD_VERSION) return { code: 'newer', what: `has version ${v}: a newer devs wrote it` };
  if (members['seq'] !== seq) return form(`has the header of another record: ${describe(members['seq'])}`);
  if (typeof kind !== 'string' || typeof timestamp !== 'string' || typeof prev !== 'string') return form('has a header without a kind, a time or a link');
  // In the order of devs, and the first three without an escape.
  if (!text.startsWith(`{"v":${RECORD_VERSION},"seq":${seq},"prev":"${prev}","kind":"${kind}","timestamp":"`)) return form('has a header that does not begin as devs writes it');
  if (payload !== null && !isLeaf(payload)) return form('has a header that does not say what payload it had');
  const header = { prev, timestamp, kind, commitment: payload, sort: KINDS.get(kind) ?? ('unknown' as const), members };
  return faultOf(header) ?? header;
}

export function isFault(read: ReadHeader | HeaderFault): read is HeaderFault {
  return 'code' in read;
}

/** What a header names as the one before, however broken the rest is. */
export function linkOf(text: string): string | undefined {
  const prev = text.length > MOST_TEXT_BYTES ? undefined : parseExact(text)?.['prev'];
  return isLeaf(prev) ? prev : undefined;
}

export function isLeaf(value: unknown): value is string {
  return typeof value === 'string' && LEAF.test(value);
}

/** A value of a record, short enough for a sentence. */
export function describe(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}

function faultOf({ sort, kind, members, commitment }: ReadHeader): HeaderFault | undefined {
  const { store, callId, status } = members;
  if (sort === 'unknown') return undefined;
  if (sort === 'fact') {
    const isWhole = commitment === null && typeof store === 'string' && STORE.test(store) && callId === undefined && status === undefined;
    return isWhole ? undefined : form('is a fact of the log and does not have the form of one');
  }
  const isWhole = typeof callId === 'string' && (typeof status === 'string') === OUTCOMES.has(kind);
  return isWhole ? undefined : form('is of a call and does not have the form of one');
}

function form(what: string): HeaderFault {
  return { code: 'form', what };
}

/**
 * Only a text that is what its own meaning is written as: with a member twice, or a letter spelled as an escape, two
 * programs could read two things out of the same hashed bytes.
 */
function parseExact(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}
