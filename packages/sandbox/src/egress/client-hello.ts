/** What the first bytes of a TLS client ask for (RFC 8446, section 4.1.2). */
export type HelloReading =
  | { readonly kind: 'incomplete' }
  /** Without a name where the client sends none. */
  | { readonly kind: 'hello'; readonly serverName: string | undefined }
  /** No TLS, no such message, or one that could be read in two ways. */
  | { readonly kind: 'unreadable' };

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const MOST_RECORD_BYTES = 16_384;
/** With keys for the time after quantum computers they have about 2,000 bytes. */
const MOST_BYTES = 16_384;

const SERVER_NAME = 0;
const HOST_NAME = 0;
/** Encrypted ClientHello: the name outside is not the one that is asked for. */
const ENCRYPTED_HELLO = 0xfe0d;

/** Reads what there is so far; never more of it than 32 KiB is worth. */
export function readClientHello(bytes: Uint8Array): HelloReading {
  try {
    const message = new Bytes(joinRecords(bytes));
    const type = message.number(1);
    const length = message.number(3);
    if (type !== CLIENT_HELLO || length > MOST_BYTES) return { kind: 'unreadable' };
    return { kind: 'hello', serverName: readHello(message.take(length)) };
  } catch (error) {
    if (error instanceof Missing && bytes.length <= 2 * MOST_BYTES) return { kind: 'incomplete' };
    return { kind: 'unreadable' };
  }
}

/** More bytes are needed. */
class Missing extends Error {}

/** No client speaks like this. */
class Unreadable extends Error {}

/** A message may be spread over several records. */
function joinRecords(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  const records = new Bytes(bytes);
  while (records.left > 0) {
    // Of what is no TLS its first byte tells: nobody waits for the rest of it.
    if (records.number(1) !== HANDSHAKE_RECORD) throw new Unreadable();
    if (records.left < 4) break;
    const major = records.number(2) >> 8;
    const length = records.number(2);
    if (major !== 3 || length === 0 || length > MOST_RECORD_BYTES) throw new Unreadable();
    parts.push(records.take(Math.min(length, records.left)).rest());
  }
  return Buffer.concat(parts);
}

/** The one name that it sends. Within the message nothing is waited for: what is missing there is a lie about its length. */
function readHello(hello: Bytes): string | undefined {
  try {
    hello.take(2 + 32);
    hello.take(hello.number(1));
    hello.take(hello.number(2));
    hello.take(hello.number(1));
    return hello.left === 0 ? undefined : readExtensions(hello.take(hello.number(2)));
  } catch (cause) {
    throw new Unreadable('', { cause });
  }
}

function readExtensions(extensions: Bytes): string | undefined {
  let name: string | undefined;
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const content = extensions.take(extensions.number(2));
    if (type === ENCRYPTED_HELLO || (type === SERVER_NAME && name !== undefined)) throw new Unreadable();
    if (type === SERVER_NAME) name = readServerName(content);
  }
  return name;
}

function readServerName(content: Bytes): string {
  const list = content.take(content.number(2));
  const type = list.number(1);
  const name = list.take(list.number(2)).rest();
  if (type !== HOST_NAME || list.left > 0 || content.left > 0) throw new Unreadable();
  return Buffer.from(name).toString('latin1').toLowerCase();
}

/** Bytes that are read from left to right. */
class Bytes {
  readonly #bytes: Uint8Array;
  #next = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#next;
  }

  /** Big-endian, of 1 to 3 bytes. */
  number(length: number): number {
    return this.take(length).rest().reduce((sum, byte) => sum * 256 + byte, 0);
  }

  take(length: number): Bytes {
    if (length > this.left) throw new Missing();
    this.#next += length;
    return new Bytes(this.#bytes.subarray(this.#next - length, this.#next));
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#next);
  }
}
