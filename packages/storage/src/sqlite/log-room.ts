import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { AgentLogError } from '../agent-log-error.ts';

/** How much the log may take, and how much it must leave. In bytes; 0 is no limit. */
export interface LogLimits {
  /** Of all files of the log beside each other, without free pages: the log, its journal (-wal, -shm) and its search index. Archives do not count. */
  readonly maxBytes: number;
  /** Of the disk that the log lies on. */
  readonly minFreeBytes: number;
}

export interface LogUse {
  readonly bytes: number;
  /** Undefined: the file system does not say. */
  readonly freeBytes: number | undefined;
}

export const NO_LIMITS: LogLimits = { maxBytes: 0, minFreeBytes: 0 };

/** What a call that has begun may still write: input, answer and what belongs to them, each cut at 256 KiB, and pages of indexes. */
export const BYTES_OF_A_CALL = 1_048_576;

const COUNTED = ['', '-wal', '-shm', '-search'] as const;

/** A measurement holds for so long, or until a part of the room that it found may be taken. */
const HOLDS_MS = 250;
const PART = 8;

/** @param freePageBytes in the file itself: what was erased or archived leaves room there, and the file does not shrink */
export function measureLog(file: string, freePageBytes: number): LogUse {
  const bytes = COUNTED.reduce((sum, suffix) => sum + (fs.statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0), 0);
  return { bytes: Math.max(0, bytes - freePageBytes), freeBytes: freeBytesOf(path.dirname(file)) };
}

/** Pages of the file that hold nothing. */
export function freePageBytes(database: Database.Database): number {
  const [pages, size] = ['freelist_count', 'page_size'].map((name) => Number(database.pragma(name, { simple: true })));
  return (pages ?? 0) * (size ?? 0);
}

/** What this account may still write there. Some file systems have no size to speak of. */
function freeBytesOf(folder: string): number | undefined {
  try {
    const { bavail, blocks, bsize } = fs.statfsSync(folder);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}

/** What is left until the nearer limit; Infinity without one. Below 0 there is none. */
export function roomOf({ bytes, freeBytes = Infinity }: LogUse, { maxBytes, minFreeBytes }: LogLimits): { readonly ofLog: number; readonly ofDisk: number } {
  return { ofLog: maxBytes === 0 ? Infinity : maxBytes - bytes, ofDisk: minFreeBytes === 0 ? Infinity : freeBytes - minFreeBytes };
}

export interface LogRoomOptions {
  readonly limits: LogLimits;
  readonly measure: () => LogUse;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/**
 * Whether there is room for another call, asked before it is promised that it is written down. Calls that have begun are not
 * asked: their outcomes have room, because each is counted with what it may still write until it ends. In one process: another
 * devs on the same log counts for itself, and both see the same files.
 */
export class LogRoom {
  readonly #options: LogRoomOptions;
  #measuredAt = -Infinity;
  /** What was left when it was measured, and what may have been written since. */
  #left = { ofLog: 0, ofDisk: 0 };
  #asked = 0;

  constructor(options: LogRoomOptions) {
    this.#options = options;
  }

  /** @param open calls that have begun and not ended @throws AgentLogError `quota` or `reserve` */
  check(open: number): void {
    const { limits, measure, now } = this.#options;
    if (limits.maxBytes === 0 && limits.minFreeBytes === 0) return;
    this.#asked += 1;
    if (now() - this.#measuredAt >= HOLDS_MS || this.#asked * BYTES_OF_A_CALL * PART > Math.min(this.#left.ofLog, this.#left.ofDisk)) {
      this.#left = roomOf(measure(), limits);
      this.#measuredAt = now();
      this.#asked = 1;
    }
    const needed = (open + this.#asked) * BYTES_OF_A_CALL;
    if (this.#left.ofLog < needed) throw new AgentLogError('quota');
    // The reserve itself is for what has begun: 256 MiB hold the outcomes of more calls than run at once.
    if (this.#left.ofDisk < 0) throw new AgentLogError('reserve');
  }
}
