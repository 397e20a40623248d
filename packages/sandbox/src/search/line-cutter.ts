const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = '\r';

/** Cuts the chunks of a file into lines, and holds no more than `longest` bytes of one. */
export class LineCutter {
  readonly #longest: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isCut = false;

  /** @param longest in bytes; what a line has beyond is left out */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** True when something was left out. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The lines that end in this chunk. */
  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield this.#take(chunk.subarray(start, end));
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** What follows the last line feed; undefined when nothing does. */
  last(): string | undefined {
    return this.#heldBytes === 0 ? undefined : this.#take(Buffer.alloc(0));
  }

  #take(end: Buffer): string {
    if (this.#heldBytes === 0 && end.length <= this.#longest) return toLine(end);
    this.#hold(end);
    const line = toLine(Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
    return line;
  }

  #hold(bytes: Buffer): void {
    const kept = bytes.subarray(0, this.#longest - this.#heldBytes);
    if (kept.length < bytes.length) this.#isCut = true;
    if (kept.length === 0) return;
    // Copied: the chunk is only good until the next one.
    this.#held.push(Buffer.from(kept));
    this.#heldBytes += kept.length;
  }
}

function toLine(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.endsWith(CARRIAGE_RETURN) ? text.slice(0, -1) : text;
}
