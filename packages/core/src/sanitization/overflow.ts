import { Buffer } from 'node:buffer';

/** What a budget has cut off, cleaned. */
export interface OverflowPage<Asked> {
  readonly text: string;
  /** Of the call whose output it is: to be judged again before more of it is given out. */
  readonly asked: Asked;
}

export interface OverflowLimits {
  /** Bytes of UTF-8 that all kept texts may have together. Default 67,108,864 (64 MiB). */
  readonly totalBytes?: number;
  /** Bytes that those of one principal may have. Default 16,777,216 (16 MiB). */
  readonly bytesPerPrincipal?: number;
  /** Milliseconds that a text is kept. Default 900,000 (15 minutes). */
  readonly keptMs?: number;
}

export interface OverflowDependencies {
  /** Unguessable: a handle is all that a caller needs beside being who it is. */
  readonly createHandle: () => string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

interface Entry<Asked> extends OverflowPage<Asked> {
  /** Whose output it is, by what the transport has proven: nobody else reads it on. */
  readonly principal: string;
  readonly bytes: number;
  readonly expiresAt: number;
}

/** Each costs more than its bytes. */
const MOST_ENTRIES = 1_000;

const DEFAULT_LIMITS: Required<OverflowLimits> = { totalBytes: 67_108_864, bytesPerPrincipal: 16_777_216, keptMs: 900_000 };

/**
 * Keeps what the budget of a result cut off, so that it can be read on. In memory alone, cleaned text alone. When
 * there is no more room the oldest goes, of the same principal first: one that asks for much pushes out its own.
 */
export class Overflow<Asked> {
  readonly #limits: Required<OverflowLimits>;
  readonly #dependencies: OverflowDependencies;
  /** By handle, the oldest first. */
  readonly #entries = new Map<string, Entry<Asked>>();

  constructor(dependencies: OverflowDependencies, limits: OverflowLimits = {}) {
    this.#dependencies = dependencies;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** The handle to read it on with; undefined when it is larger than one principal may keep. */
  keep(text: string, principal: string, asked: Asked): string | undefined {
    const { totalBytes, bytesPerPrincipal, keptMs } = this.#limits;
    const { createHandle, now } = this.#dependencies;
    const bytes = Buffer.byteLength(text, 'utf8');
    this.#expire();
    if (bytes > Math.min(bytesPerPrincipal, totalBytes)) return undefined;
    this.#makeRoom(bytesPerPrincipal - bytes, principal);
    this.#makeRoom(totalBytes - bytes);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= MOST_ENTRIES) this.#entries.delete(oldest);
    const handle = createHandle();
    this.#entries.set(handle, { text, asked, bytes, principal, expiresAt: now() + keptMs });
    return handle;
  }

  /** What is kept under the handle for this principal. It stays: an answer may get lost on its way. */
  read(handle: string, principal: string): OverflowPage<Asked> | undefined {
    this.#expire();
    const entry = this.#entries.get(handle);
    // Of somebody else's it is as if it were not there.
    return entry?.principal === principal ? entry : undefined;
  }

  #makeRoom(room: number, principal?: string): void {
    let used = 0;
    for (const entry of this.#entries.values()) if (principal === undefined || entry.principal === principal) used += entry.bytes;
    for (const [handle, entry] of this.#entries) {
      if (used <= room) return;
      if (principal !== undefined && entry.principal !== principal) continue;
      this.#entries.delete(handle);
      used -= entry.bytes;
    }
  }

  #expire(): void {
    const now = this.#dependencies.now();
    for (const [handle, { expiresAt }] of this.#entries) {
      // In the order of their time: the first that is still good ends it.
      if (expiresAt > now) return;
      this.#entries.delete(handle);
    }
  }
}
