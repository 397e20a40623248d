import { sign, verify, type KeyObject } from 'node:crypto';
import { DevsError, isRecord } from '@devs/core';
import { readPublicKey, toKeyId } from './public-key.ts';

/** What is signed, remembered and published: one line of JSON, these members in this order. */
export interface SignedHead {
  /** JSON, a `Head`. The signature is over its UTF-8 bytes as they are. */
  readonly head: string;
  /** Ed25519, base64. */
  readonly signature: string;
}

/** What a head says: the log `store` had this record, and by its leaf all before it. */
export interface Head {
  readonly v: 1;
  /** 32 hexadecimal digits. */
  readonly store: string;
  readonly seq: number;
  /** 64 hexadecimal digits. */
  readonly leaf: string;
  /** ISO 8601, UTC, milliseconds, by the clock as it was: heads are ordered by `seq`. */
  readonly timestamp: string;
  /** The public key, 32 bytes in base64. Says which key to verify with, never that it is one to be trusted. */
  readonly key: string;
}

/** `other key`: it may well be a true head of that key; nothing was verified. */
export type HeadVerdict = 'valid' | 'other key' | 'bad signature' | 'malformed';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

/** A head over a position, signed. `at` is said, and proves nothing. */
export function signHead({ store, seq, leaf }: Pick<Head, 'store' | 'seq' | 'leaf'>, { privateKey, id }: HeadSigner, at: Date): SignedHead {
  const content: Head = { v: 1, store, seq, leaf, timestamp: at.toISOString(), key: id };
  const head = JSON.stringify(content);
  return { head, signature: sign(null, Buffer.from(head, 'utf8'), privateKey).toString('base64') };
}

/** What a head is signed with. */
export interface HeadSigner {
  readonly privateKey: KeyObject;
  /** The public key, 32 bytes in base64. */
  readonly id: string;
}

/** Verifies one head against a key that somebody trusts. Never throws. */
export function judgeHead(signed: SignedHead, publicKey: KeyObject): HeadVerdict {
  const head = toHead(signed.head);
  const signature = fromBase64(signed.signature, SIGNATURE_BYTES);
  if (head === undefined || signature === undefined) return 'malformed';
  if (head.key !== toKeyId(publicKey)) return 'other key';
  return verify(null, Buffer.from(signed.head, 'utf8'), publicKey, signature) ? 'valid' : 'bad signature';
}

/**
 * What a head says, once its signature is verified. Without a key, against the one that it names itself: then it is
 * whole, and may be anybody's.
 * @throws DevsError `LOG_QUERY_REFUSED` for one that does not hold
 */
export function checkHead(signed: SignedHead, publicKey?: KeyObject): Head {
  const head = toHead(signed.head);
  const verdict = head === undefined ? 'malformed' : judgeHead(signed, publicKey ?? readPublicKey(head.key));
  if (head === undefined || verdict !== 'valid') throw new DevsError('LOG_QUERY_REFUSED', { sentence: REFUSALS[verdict === 'valid' ? 'malformed' : verdict] });
  return head;
}

const REFUSALS: Readonly<Record<Exclude<HeadVerdict, 'valid'>, string>> = {
  malformed: 'The head does not have the form of one.',
  'other key': 'The head is signed by another key.',
  'bad signature': 'The head was changed: its signature does not fit.',
};

/** `{"head":…,"signature":…}` on one line, without the line break. */
export function toHeadLine({ head, signature }: SignedHead): string {
  return JSON.stringify({ head, signature });
}

/** A value that has the form of a signed head to the letter; what it says is not verified. */
export function toSignedHead(value: unknown): SignedHead | undefined {
  if (!isRecord(value) || Object.keys(value).join() !== 'head,signature') return undefined;
  const { head, signature } = value;
  if (typeof head !== 'string' || typeof signature !== 'string') return undefined;
  return toHead(head) === undefined || fromBase64(signature, SIGNATURE_BYTES) === undefined ? undefined : { head, signature };
}

/**
 * What a head's text says. Only the one spelling that devs writes: with a member twice, or one more, another
 * program could read something else out of the same signed bytes.
 */
export function toHead(text: string): Head | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { v, store, seq, leaf, timestamp, key } = value;
  if (v !== 1 || !isHex(store, 32) || !isHex(leaf, 64) || !isSeq(seq) || !isTimestamp(timestamp)) return undefined;
  if (typeof key !== 'string' || fromBase64(key, KEY_BYTES) === undefined) return undefined;
  const head: Head = { v, store, seq, leaf, timestamp, key };
  return JSON.stringify(head) === text ? head : undefined;
}

/** Lower case, of just this length. */
export function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && value.length === digits && /^[0-9a-f]*$/.test(value);
}

export function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTimestamp(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
}

/** Only the one spelling of these bytes: Node's own reading passes over what is no base64. */
function fromBase64(text: string, bytes: number): Buffer | undefined {
  if (text.length > 2 * bytes) return undefined;
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === bytes && decoded.toString('base64') === text ? decoded : undefined;
}
