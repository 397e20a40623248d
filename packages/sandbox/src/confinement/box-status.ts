import { closeSync, readSync } from 'node:fs';
import { errnoOf } from '@devs/core';
import { readEndCode, readFirstProcess } from './process-end.ts';

/** More than two lines bwrap never says; of one that says more nothing is believed. */
const MOST_BYTES = 4_096;

/**
 * What bwrap says of its box, asked for at any moment and without waiting: who kills a box has to know at once whether it
 * has a first process. Nothing in the box holds the other end.
 */
export class BoxStatus {
  readonly #fd: number;
  #text = '';
  #isClosed = false;

  /** @param fd end of a pipe that never waits; closed with this */
  constructor(fd: number) {
    this.#fd = fd;
  }

  /** By the machine's numbers; undefined before there is one. */
  get firstProcess(): number | undefined {
    return readFirstProcess(this.#read());
  }

  /** Undefined before the command has ended, and when bwrap was killed. */
  get endCode(): number | undefined {
    return readEndCode(this.#read());
  }

  /** What was said stays readable. */
  close(): void {
    if (this.#isClosed) return;
    this.#read();
    this.#isClosed = true;
    closeSync(this.#fd);
  }

  #read(): string {
    const buffer = Buffer.alloc(MOST_BYTES);
    while (!this.#isClosed && this.#text.length < MOST_BYTES) {
      const count = readNow(this.#fd, buffer);
      if (count === 0) break;
      this.#text += buffer.toString('latin1', 0, count);
    }
    return this.#text;
  }
}

function readNow(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if (errnoOf(error) === 'EAGAIN') return 0;
    throw error;
  }
}
