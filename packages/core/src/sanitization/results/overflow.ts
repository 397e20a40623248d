import { Buffer } from 'node:buffer';

/** What is left of an output from one place on. */
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
  /** Texts that one principal may have. Default 100. */
  readonly textsPerPrincipal?: number;
  /** Milliseconds that a text is kept after it was read last. Default 900,000 (15 minutes). */
  readonly keptMs?: number;
}

export interface OverflowDependencies {
  /** Unguessable: a handle is all that a caller needs beside being who it is. */
  readonly createHandle: () => string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** One text, kept once, however many of its pages have a handle. */
interface Kept<Asked> {
  readonly text: string;
  readonly asked: Asked;
  /** Whose output it is, by what the transport has proven: nobody else reads it on. */
  readonly principal: string;
  readonly bytes: number;
  /** By where a page begins, its handle: asked twice, a page goes on under the same one. */
  readonly handles: Map<number, string>;
  expiresAt: number;
}

interface Place<Asked> {
  readonly kept: Kept<Asked>;
  /** Units of UTF-16 from the beginning of the text. */
  readonly offset: number;
}

const DEFAULT_LIMITS: Required<OverflowLimits> = {
  totalBytes: 67_108_864,
  bytesPerPrincipal: 16_777_216,
  textsPerPrincipal: 100,
  keptMs: 900_000,
};

/**
 * Keeps what the budget of a result cut off, so that it can be read on. In memory alone, cleaned text alone. When
 * there is no more room the texts go that were read longest ago, of the same principal first: one that asks for much
 * pushes out its own.
 */
export class Overflow<Asked> {
  readonly #limits: Required<OverflowLimits>;
  readonly #dependencies: OverflowDependencies;
  /** In the order in which they were read, the longest ago first. */
  readonly #texts = new Set<Kept<Asked>>();
  readonly #places = new Map<string, Place<Asked>>();

  constructor(dependencies: OverflowDependencies, limits: OverflowLimits = {}) {
    this.#dependencies = dependencies;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** The handle to read it on with; undefined when it is larger than one principal may keep. */
  keep(text: string, principal: string, asked: Asked): string | undefined {
    const { totalBytes, bytesPerPrincipal, keptMs } = this.#limits;
    const bytes = Buffer.byteLength(text, 'utf8');
    this.#expire();
    if (bytes > Math.min(bytesPerPrincipal, totalBytes)) return undefined;
    this.#makeRoom(bytes, principal);
    const kept = { text, asked, principal, bytes, handles: new Map<number, string>(), expiresAt: this.#dependencies.now() + keptMs };
    this.#texts.add(kept);
    return this.#handleFor(kept, 0);
  }

  /** What is kept from the place of the handle on, for this principal. It stays: an answer may get lost on its way. */
  read(handle: string, principal: string): OverflowPage<Asked> | undefined {
    const place = this.#placeOf(handle, principal);
    if (place === undefined) return undefined;
    const { kept, offset } = place;
    return { text: offset === 0 ? kept.text : kept.text.slice(offset), asked: kept.asked };
  }

  /** The handle of the place so many units after that of `handle`. Undefined when it is gone. */
  goOn(handle: string, principal: string, units: number): string | undefined {
    const place = this.#placeOf(handle, principal);
    return place === undefined ? undefined : this.#handleFor(place.kept, place.offset + units);
  }

  #placeOf(handle: string, principal: string): Place<Asked> | undefined {
    this.#expire();
    const place = this.#places.get(handle);
    // Of somebody else's it is as if it were not there.
    if (place?.kept.principal !== principal) return undefined;
    const { kept } = place;
    kept.expiresAt = this.#dependencies.now() + this.#limits.keptMs;
    this.#texts.delete(kept);
    this.#texts.add(kept);
    return place;
  }

  #handleFor(kept: Kept<Asked>, offset: number): string {
    const known = kept.handles.get(offset);
    if (known !== undefined) return known;
    const handle = this.#dependencies.createHandle();
    kept.handles.set(offset, handle);
    this.#places.set(handle, { kept, offset });
    return handle;
  }

  #makeRoom(bytes: number, principal: string): void {
    const { totalBytes, bytesPerPrincipal, textsPerPrincipal } = this.#limits;
    const own = [...this.#texts].filter((kept) => kept.principal === principal);
    this.#drop(own, bytesPerPrincipal - bytes, textsPerPrincipal - 1);
    this.#drop([...this.#texts], totalBytes - bytes, Infinity);
  }

  /** Drops the first of `texts` until the others have at most so many bytes and are so many. */
  #drop(texts: readonly Kept<Asked>[], mostBytes: number, mostTexts: number): void {
    let bytes = texts.reduce((sum, kept) => sum + kept.bytes, 0);
    let count = texts.length;
    for (const kept of texts) {
      if (bytes <= mostBytes && count <= mostTexts) return;
      this.#forget(kept);
      bytes -= kept.bytes;
      count -= 1;
    }
  }

  #expire(): void {
    const now = this.#dependencies.now();
    for (const kept of this.#texts) {
      // In the order of their time: the first that is still good ends it.
      if (kept.expiresAt > now) return;
      this.#forget(kept);
    }
  }

  #forget(kept: Kept<Asked>): void {
    this.#texts.delete(kept);
    for (const handle of kept.handles.values()) this.#places.delete(handle);
  }
}
