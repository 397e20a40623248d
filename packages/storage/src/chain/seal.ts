import { commitmentOf, leafOf, type Salts, type StoredRecord } from './record.ts';
import { RECORD_VERSION, type CallHeader, type FactHeader, type HeaderStart } from './header.ts';

type Rest<Header extends HeaderStart> = Omit<Header, 'v' | 'seq' | 'prev' | 'payload'>;

/** A record before it has its place in the chain. Its header begins with `kind` and `timestamp`. */
export interface CallDraft {
  readonly header: Rest<CallHeader>;
  /** JSON. */
  readonly payload: string;
}

/** @see FactHeader */
export interface FactDraft {
  readonly header: Pick<FactHeader, 'kind' | 'timestamp' | 'store'> & { readonly [more: string]: unknown };
  readonly payload: null;
}

export type Draft = CallDraft | FactDraft;

/** Where the next record goes: behind the last one. */
export interface Link {
  readonly seq: number;
  /** 64 hexadecimal digits. */
  readonly prev: string;
}

/** A record in its place. `leafHex` is what the next one names as `prev`. */
export interface SealedRecord extends StoredRecord {
  readonly leafHex: string;
}

/** Puts a draft behind a link. The texts that it makes are stored, hashed and exported as they are. */
export function seal({ header, payload }: Draft, { seq, prev }: Link, salts: Salts): SealedRecord {
  const salt = payload === null ? null : salts.next();
  const commitment = salt === null || payload === null ? null : commitmentOf(salt, payload);
  // Written out here rather than copied into one object: it is made for every record, while the log is locked.
  const text = `{"v":${RECORD_VERSION},"seq":${seq},"prev":"${prev}",${JSON.stringify(header).slice(1, -1)},"payload":${commitment === null ? 'null' : `"${commitment}"`}}`;
  const leafHex = leafOf(text);
  return { seq, header: text, payload, salt, leaf: Buffer.from(leafHex, 'hex'), leafHex };
}
