import { closeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { DevsError, findBinary, type SearchReport, type SearchRequest } from '@devs/core';
import { CHUNK_BYTES, readChunks } from '../files/chunks.ts';
import type { OpenedFile } from '../files/places.ts';
import { TextBlocks, type TextBlock } from './text-blocks.ts';
import { viewedLines } from './viewed-lines.ts';

/** Of one file, in bytes. A log of 3 GB must not take the turn of all files after it. */
const MAX_FILE_BYTES = 134_217_728;
/** Of all files together, in bytes. */
const MAX_BYTES = 536_870_912;
/** Of one line, in bytes. */
const MAX_LINE_BYTES = CHUNK_BYTES;
/** Bytes after which other calls get their turn: the caller may be slow on each of them. */
const TURN_BYTES = 65_536;
/** What opening a file counts for, in bytes. */
const FILE_COST = 4_096;
/** Of what is looked at in one piece, in bytes: so much is cleaned before a line of it is shown. */
const BLOCK_BYTES = CHUNK_BYTES;
/** Shown to the view before and after a block: what is masked by its neighbours is seen with them. */
const MARGIN_BYTES = 16_384;

type Request = Pick<SearchRequest, 'onLine' | 'signal' | 'view'>;

/** What only the reader of the tree knows. */
export interface TreeReport extends Pick<SearchReport, 'unreadable' | 'ignored'> {
  readonly cut?: SearchReport['cut'] | undefined;
}

/** Reads files one after the other and shows their lines, until there is enough of it. */
export class LineSearch {
  readonly #request: Request;
  readonly #longestLine: number;
  #files = 0;
  #binary = 0;
  #partial = 0;
  #unreadable = 0;
  #bytes = 0;
  #turnLeft = TURN_BYTES;
  #cut: 'enough' | 'bytes' | undefined;

  /** @param maxReadBytes no line is shown beyond it */
  constructor(request: Request, maxReadBytes: number) {
    this.#request = request;
    this.#longestLine = Math.min(MAX_LINE_BYTES, maxReadBytes);
  }

  /** Set when no further file should be searched. */
  get cut(): 'enough' | 'bytes' | undefined {
    return this.#cut;
  }

  /** Shows the lines of a file, and closes it. */
  async search(path: string, file: OpenedFile): Promise<void> {
    const blocks = new TextBlocks({ longestLine: this.#longestLine, block: BLOCK_BYTES, margin: MARGIN_BYTES });
    try {
      const end = await this.#tryToRead(file, blocks, path);
      if (end === 'binary') this.#binary += 1;
      else if (end === 'withheld') this.#unreadable += 1;
      else this.#files += 1;
      if (end === 'cut' || blocks.isCut) this.#partial += 1;
    } finally {
      closeSync(file.descriptor);
    }
  }

  report(tree: TreeReport): SearchReport {
    const { ignored } = tree;
    const unreadable = this.#unreadable + tree.unreadable;
    const cut = this.#cut ?? tree.cut;
    const counts = { files: this.#files, binary: this.#binary, partial: this.#partial, unreadable, ignored };
    return cut === undefined ? counts : { ...counts, cut };
  }

  /** A file that takes too long to look through for secrets is passed over: one such file must not end the search of a tree. */
  async #tryToRead(file: OpenedFile, blocks: TextBlocks, path: string): Promise<'whole' | 'cut' | 'binary' | 'withheld'> {
    try {
      return await this.#read(file, blocks, path);
    } catch (error) {
      if (DevsError.is(error) && error.code === 'OUTPUT_WITHHELD') return 'withheld';
      throw error;
    }
  }

  async #read(file: OpenedFile, blocks: TextBlocks, path: string): Promise<'whole' | 'cut' | 'binary'> {
    await this.#spend(FILE_COST);
    let bytes = 0;
    for await (const chunk of readChunks(file, this.#request.signal)) {
      if (bytes === 0 && findBinary(chunk) !== undefined) return 'binary';
      bytes += chunk.length;
      this.#bytes += chunk.length;
      if (!(await this.#show(blocks.push(chunk), path))) return 'whole';
      if (this.#bytes >= MAX_BYTES) this.#cut = 'bytes';
      if (bytes >= MAX_FILE_BYTES || this.#cut !== undefined) return 'cut';
    }
    await this.#show(blocks.last(), path);
    return 'whole';
  }

  /** False when the caller has had enough. */
  async #show(block: TextBlock | undefined, path: string): Promise<boolean> {
    if (block === undefined) return true;
    for (const { number, text } of viewedLines(block, (bytes) => this.#request.view(bytes, path))) {
      if (!this.#request.onLine({ path, number, text })) {
        this.#cut = 'enough';
        return false;
      }
      await this.#spend(text.length);
    }
    return true;
  }

  /** Lets other calls have their turn once this one has had its own. */
  async #spend(bytes: number): Promise<void> {
    this.#turnLeft -= bytes;
    if (this.#turnLeft > 0) return;
    this.#turnLeft = TURN_BYTES;
    await setImmediate();
    this.#request.signal.throwIfAborted();
  }
}
