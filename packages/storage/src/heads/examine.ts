import type { KeyObject } from 'node:crypto';
import { DevsError } from '@devs/core';
import { sqliteCode } from '../database/sqlite-failure.ts';
import type { ChainView, Position } from './chain-view.ts';
import type { HeadMemory } from './head-memory.ts';
import { toKeyId } from './public-key.ts';
import { judgeHead, toHead, type Head, type SignedHead } from './signed-head.ts';

/** A log is not the one that devs remembers. */
export interface HeadProblem {
  /** A sentence for an operator; names no folder. */
  readonly what: string;
  /** The head that is not in the log. Null when none can be read. */
  readonly from: Position | null;
  /** What is remembered could not be read: that may pass, and says nothing of the log. */
  readonly isUnread?: true;
  /** It is signed with another key, so that nothing of it was verified. */
  readonly isOtherKey?: true;
}

export interface Examined {
  readonly problem?: HeadProblem;
  /** The last head, when there is one and all is well. */
  readonly remembered?: Head;
}

export interface Witness {
  readonly memory: HeadMemory;
  /** Undefined: there is no key, so that no head can be one of it. */
  readonly publicKey: KeyObject | undefined;
  /** Absolute path of the log. */
  readonly log: string;
  /** It has just been adopted as it is. */
  readonly isAdopted: boolean;
}

/** Holds a log against what is remembered of it and of its place. Throws SQLite's error alone; what is remembered and cannot be read is a problem. */
export function examine(chain: ChainView, witness: Witness): Examined {
  try {
    return examineHead(chain, witness);
  } catch (cause) {
    // The log itself cannot be read: nothing is wrong with what is remembered, and to adopt would be the wrong advice.
    if (sqliteCode(cause) !== '') throw cause;
    return { problem: { what: DevsError.is(cause) ? cause.sentence : 'What devs remembers of the call log cannot be read.', from: null, isUnread: true } };
  }
}

function examineHead(chain: ChainView, { memory, publicKey, log, isAdopted }: Witness): Examined {
  // What is remembered is read before the log is: another process may write to both meanwhile, the log first.
  const lay = memory.readPlace(log);
  const { store } = chain;
  if (lay === null) return { problem: { what: 'What devs remembers of the place of the call log is not what it wrote.', from: null } };
  if (lay !== undefined && lay !== store) return { problem: describeReplaced(lay, chain, memory) };
  const signed = store === undefined ? undefined : memory.read(store);
  if (signed !== undefined) return judge(signed, chain, publicKey);
  if (lay !== undefined) return { problem: { what: 'The last head of the call log that devs remembered is gone.', from: null } };
  const carried = isAdopted || store === undefined || publicKey === undefined ? undefined : findCarried(chain, { store, publicKey });
  if (store === undefined || carried === undefined) return {};
  // Another process may have signed the log for the first time just now: it remembers before the log says so.
  const now = memory.read(store);
  if (now !== undefined) return judge(now, chain, publicKey);
  return { problem: { what: `What devs remembered of the call log is gone: the log says that it was signed up to record ${carried.seq} here.`, from: null } };
}

/**
 * The newest head in the log that names this very key: it was remembered here before the log said so. Whether the
 * log says that it was adopted since does not count: nobody signs that, and whoever adopts a log signs it at once. Nor does
 * its signature: one that does not fit was not written by devs either.
 */
function findCarried(chain: ChainView, { store, publicKey }: { readonly store: string; readonly publicKey: KeyObject }): Head | undefined {
  const key = toKeyId(publicKey);
  for (const signed of chain.carried()) {
    const head = toHead(signed.head);
    if (head?.store === store && head.key === key) return head;
  }
  return undefined;
}

function judge(signed: SignedHead | 'broken', chain: ChainView, publicKey: KeyObject | undefined): Examined {
  const head = signed === 'broken' ? undefined : toHead(signed.head);
  if (signed === 'broken' || head === undefined) {
    return { problem: { what: 'The last head of the call log that devs remembered is broken, or a newer devs wrote it: then start that one.', from: null } };
  }
  const verdict = publicKey === undefined ? 'other key' : judgeHead(signed, publicKey);
  if (verdict === 'other key') return { problem: { what: describeOtherKey(head), from: positionOf(head), isOtherKey: true } };
  if (verdict !== 'valid' || head.store !== chain.store) {
    return { problem: { what: 'The last head of the call log that devs remembered was changed: its signature does not fit.', from: null } };
  }
  const what = describeMissing(head, chain);
  return what === undefined ? { remembered: head } : { problem: { what, from: positionOf(head) } };
}

function describeMissing({ seq, leaf }: Head, chain: ChainView): string | undefined {
  const end = chain.last()?.seq ?? 0;
  const found = chain.leafAt(seq);
  if (found === leaf) return undefined;
  if (end < seq) {
    return `The call log ends with record ${end}, and record ${seq} was in it when devs signed it last: its end was cut off, or an older copy was put in its place.`;
  }
  if (found === undefined) return `Record ${seq} of the call log, which devs signed last, is not there.`;
  return `Record ${seq} of the call log is not the one that devs signed: the log was written anew, or another was put in its place.`;
}

function describeReplaced(lay: string, chain: ChainView, memory: HeadMemory): HeadProblem {
  const signed = memory.read(lay);
  const head = signed === undefined || signed === 'broken' ? undefined : toHead(signed.head);
  const from = head === undefined ? null : positionOf(head);
  const upTo = from === null ? '' : `, signed up to record ${from.seq},`;
  const now = chain.store === undefined ? 'it is gone or empty' : 'another one lies in its place';
  return { what: `The call log that was here${upTo} is not: ${now}.`, from };
}

function describeOtherKey({ seq }: Head): string {
  return `The last head of the call log, at record ${seq}, was signed with another key than the one that is there now: the key was lost or replaced.`;
}

function positionOf({ seq, leaf }: Head): Position {
  return { seq, leaf };
}
