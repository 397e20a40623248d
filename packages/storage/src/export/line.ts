import { isRecord } from '@devs/core';
import { LEAF_BYTES, SALT_BYTES, type StoredRecord } from '../chain/record.ts';
import { isHex } from '../heads/signed-head.ts';

/**
 * A record as one line of an export, without its end: `{"seq":N,"leaf":"<hex>","header":"…","salt":"<hex>"|null,"payload":"…"|null}`.
 * The strings decode to the very texts that are stored.
 */
export function toLine({ seq, leaf, header, salt, payload }: StoredRecord): string {
  return JSON.stringify({ seq, leaf: toHex(leaf), header, salt: salt === null ? null : toHex(salt), payload });
}

/**
 * What a line says; undefined where it is not, to the letter, what `toLine` makes: two spellings of one record would
 * be a place where something is changed and nothing is found.
 */
export function parseLine(line: string): StoredRecord | undefined {
  const record = toRecord(parseJson(line));
  if (record === undefined || toLine(record) !== line) return undefined;
  // Half a surrogate pair is hashed as U+FFFD: it would be a second spelling of it.
  return record.header.isWellFormed() && (record.payload ?? '').isWellFormed() ? record : undefined;
}

function toRecord(value: unknown): StoredRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { seq, leaf, header, salt, payload } = value;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || !isHex(leaf, 2 * LEAF_BYTES) || typeof header !== 'string') return undefined;
  // A salt of another length could hold the beginning of the payload: the commitment does not say where one ends.
  if (salt !== null && !isHex(salt, 2 * SALT_BYTES)) return undefined;
  if (payload !== null && typeof payload !== 'string') return undefined;
  return { seq, leaf: Buffer.from(leaf, 'hex'), header, salt: salt === null ? null : Buffer.from(salt, 'hex'), payload };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
