import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { canonicalJson, DevsError, isRecord, type Json } from '@devs/core';

/** What a state is good for: the same call, by the same client, for a while. */
export interface StateBinding {
  /** Of the server behind devs. */
  readonly server: string;
  /** The tool, prompt or resource, as the client names it. */
  readonly name: string;
  readonly args: Json;
  /** Of whoever the state is given to: nobody else can go on with the call. */
  readonly client: string;
}

export interface SealedStateOptions {
  /** 32 bytes. Default: new ones, so that a state is good as long as this devs runs. */
  readonly key?: Uint8Array;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Milliseconds that somebody may take to answer. */
const LIFE_MS = 3_600_000;
/** UTF-16 units of a server's own state. */
const MOST_CHARACTERS = 32_768;

/**
 * What a client brings back when it goes on with a call (MCP 2026-07-28, multi round-trip requests). It is in the client's
 * hands meanwhile: encrypted, since it holds a server's word, and bound to the call, so that an answer that was given to
 * one question is never taken for another's.
 */
export class SealedState {
  readonly #key: Uint8Array;
  readonly #now: () => number;

  constructor({ key = randomBytes(32), now = () => performance.now() }: SealedStateOptions = {}) {
    this.#key = key;
    this.#now = now;
  }

  /**
   * Base64url. @param state the server's own word; undefined when it has none
   * @throws DevsError UPSTREAM_ANSWER_REFUSED for one that is too long
   */
  seal(state: string | undefined, binding: StateBinding): string {
    if (state !== undefined && state.length > MOST_CHARACTERS) {
      throw new DevsError('UPSTREAM_ANSWER_REFUSED', { cause: new Error('a request state that is too long') });
    }
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(digestOf(binding));
    const plain = JSON.stringify({ until: this.#now() + LIFE_MS, ...(state !== undefined && { state }) });
    return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** The server's own word. @throws DevsError INPUT_STATE_REFUSED for anything that was not sealed for this, here and lately */
  open(sealed: unknown, binding: StateBinding): string | undefined {
    try {
      const { until, state } = this.#decrypt(sealed, binding);
      if (typeof until === 'number' && this.#now() <= until) return typeof state === 'string' ? state : undefined;
    } catch (cause) {
      throw new DevsError('INPUT_STATE_REFUSED', { cause });
    }
    throw new DevsError('INPUT_STATE_REFUSED', { cause: new Error('its time is over') });
  }

  #decrypt(sealed: unknown, binding: StateBinding): Record<string, unknown> {
    // Decoding passes over what is no base64url: only the one way to write it counts.
    const bytes = Buffer.from(typeof sealed === 'string' ? sealed : '', 'base64url');
    if (bytes.toString('base64url') !== sealed || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('it is no state of devs');
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(digestOf(binding)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
    const value: unknown = JSON.parse(plain);
    return isRecord(value) ? value : {};
  }
}

function digestOf({ server, name, args, client }: StateBinding): Buffer {
  return createHash('sha256').update(canonicalJson([server, name, args, client])).digest();
}
