import { MessageBuffer, type Content } from '../../raw/message-buffer.ts';

export interface SseParserOptions {
  /** Largest event in bytes. */
  readonly maxBytes: number;
  readonly onEvent: (content: Content) => void;
  /** The position in the stream, to go on after when it breaks. */
  readonly onId: (id: string) => void;
  /** Milliseconds to wait before the stream is opened again. */
  readonly onRetry: (milliseconds: number) => void;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NEW_LINE = Buffer.from('\n');
/** Of a field that is not data: no position, name or time is longer. */
const MOST_FIELD_BYTES = 1_024;
const DATA = Buffer.from('data:');

/** Server-sent events (WHATWG HTML), in bounded memory whatever the server sends, and however slowly. */
export class SseParser {
  readonly #options: SseParserOptions;
  readonly #data: MessageBuffer;
  /** The start of a line that has not ended: its field, up to the colon, or all of a short one. */
  #head = Buffer.alloc(0);
  /** The line is one of data: what comes of it goes to the event. */
  #inData = false;
  /** A line that is too long to be of use. */
  #skips = false;
  #afterReturn = false;
  #hasData = false;
  #isMessage = true;
  #isFirst = true;

  constructor(options: SseParserOptions) {
    this.#options = options;
    this.#data = new MessageBuffer(options.maxBytes, 4_096);
  }

  push(chunk: Buffer): void {
    const ends = new LineEnds(chunk);
    let at = this.#afterReturn && chunk[0] === LINE_FEED ? 1 : 0;
    if (chunk.length > 0) this.#afterReturn = false;
    while (at < chunk.length) {
      if (this.#isIdle) at = this.#skipEmptyLines(chunk, at);
      const end = ends.from(at);
      this.#take(chunk.subarray(at, end));
      if (end === chunk.length) return;
      this.#afterReturn = chunk[end] === CARRIAGE_RETURN;
      this.#endLine();
      at = end + 1;
      if (!this.#afterReturn || at === chunk.length) continue;
      this.#afterReturn = false;
      if (chunk[at] === LINE_FEED) at += 1;
    }
  }

  /** Between two events, at the beginning of a line: an empty one would change nothing. */
  get #isIdle(): boolean {
    return this.#head.length === 0 && !this.#inData && !this.#skips && !this.#hasData && this.#isMessage;
  }

  /** A server that says nothing else must not be listened to line by line. */
  #skipEmptyLines(chunk: Buffer, from: number): number {
    let at = from;
    while (chunk[at] === LINE_FEED || chunk[at] === CARRIAGE_RETURN) at += 1;
    if (at === from) return from;
    this.#isFirst = false;
    this.#afterReturn = at === chunk.length && chunk[at - 1] === CARRIAGE_RETURN;
    return at;
  }

  #take(piece: Buffer): void {
    if (this.#skips || piece.length === 0) return;
    if (this.#inData) return this.#data.push(piece);
    const room = DATA.length + 1 - this.#head.length;
    if (room > 0) {
      // So much decides whether the line is one of data, and whether a blank follows.
      this.#head = Buffer.concat([this.#head, piece.subarray(0, room)]);
      this.#decide();
      return this.#take(piece.subarray(room));
    }
    if (this.#head.length + piece.length > MOST_FIELD_BYTES) this.#skips = true;
    else this.#head = Buffer.concat([this.#head, piece]);
  }

  #decide(): void {
    if (this.#isFirst && this.#head.length >= 3) {
      if (this.#head.subarray(0, 3).equals(BYTE_ORDER_MARK)) this.#head = this.#head.subarray(3);
      this.#isFirst = false;
    }
    if (this.#head.length <= DATA.length || !this.#head.subarray(0, DATA.length).equals(DATA)) return;
    this.#startData(this.#head.subarray(DATA.length));
  }

  #startData(value: Buffer): void {
    if (this.#hasData) this.#data.push(NEW_LINE);
    this.#hasData = true;
    this.#inData = true;
    const text = value[0] === 0x20 ? value.subarray(1) : value;
    if (text.length > 0) this.#data.push(text);
  }

  #endLine(): void {
    const head = this.#head;
    const isField = !this.#inData && !this.#skips;
    this.#head = Buffer.alloc(0);
    this.#inData = false;
    this.#skips = false;
    this.#isFirst = false;
    if (!isField) return;
    if (head.length === 0) return this.#dispatch();
    this.#field(head.toString('utf8'));
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#startEmptyData();
    else if (name === 'event') this.#isMessage = value === '' || value === 'message';
    // It goes into a header.
    else if (name === 'id' && /^[\u0020-\u007e]*$/.test(value)) this.#options.onId(value);
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) this.#options.onRetry(Number(value));
  }

  #startEmptyData(): void {
    this.#startData(Buffer.alloc(0));
    this.#inData = false;
  }

  #dispatch(): void {
    const isMeant = this.#hasData && this.#isMessage;
    this.#hasData = false;
    this.#isMessage = true;
    const content = this.#data.take();
    // An event without data is a sign of life, and the position that came with it.
    if (isMeant && (content.kind === 'oversized' || content.bytes.length > 0)) this.#options.onEvent(content);
  }
}

/** Where lines end in a chunk. Each kind of end is looked for once, and not again for each line of the other. */
class LineEnds {
  readonly #chunk: Buffer;
  #feed = -1;
  #carriage = -1;

  constructor(chunk: Buffer) {
    this.#chunk = chunk;
  }

  /** The first at this place or behind it; the chunk's length when there is none. Places only grow. */
  from(at: number): number {
    if (this.#feed < at) this.#feed = this.#find(LINE_FEED, at);
    if (this.#carriage < at) this.#carriage = this.#find(CARRIAGE_RETURN, at);
    return Math.min(this.#feed, this.#carriage);
  }

  #find(byte: number, at: number): number {
    const found = this.#chunk.indexOf(byte, at);
    return found === -1 ? this.#chunk.length : found;
  }
}
