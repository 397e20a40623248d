import { hash, randomFillSync } from 'node:crypto';

/** A record as it lies in the store, and in an export: what is hashed is the very bytes of these texts. */
export interface StoredRecord {
  readonly seq: number;
  /** JSON, UTF-8, as it was written: nobody writes it anew to hash it. */
  readonly header: string;
  /** JSON. Null: never had one, or erased; the header says which. */
  readonly payload: string | null;
  /** 16 random bytes: without it a short payload could be guessed from its commitment after it is erased. */
  readonly salt: Uint8Array | null;
  /** 32 bytes, `leafOf(header)`. */
  readonly leaf: Uint8Array;
}

export const SALT_BYTES = 16;
export const LEAF_BYTES = 32;
const POOLED_SALTS = 512;

/** RFC 6962's prefix of a leaf: what is hashed as one can be no inner node of a tree. */
const LEAF_PREFIX = '\0';

/** `SHA-256(0x00 ‖ header)`, 64 hexadecimal digits. */
export function leafOf(header: string): string {
  return hash('sha256', LEAF_PREFIX + header, 'hex');
}

/** `SHA-256(salt ‖ payload)`, 64 hexadecimal digits. */
export function commitmentOf(salt: Uint8Array, payload: string): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(payload, 'utf8')]), 'hex');
}

/** Random bytes, fetched for many records at once. */
export class Salts {
  readonly #pool = Buffer.alloc(POOLED_SALTS * SALT_BYTES);
  #used = this.#pool.length;

  next(): Buffer {
    if (this.#used === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const salt = Buffer.from(this.#pool.subarray(this.#used, this.#used + SALT_BYTES));
    // Who reads the memory of devs later finds no salt of what has been erased.
    this.#pool.fill(0, this.#used, this.#used + SALT_BYTES);
    this.#used += SALT_BYTES;
    return salt;
  }
}
