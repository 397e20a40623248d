import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { fetchFailed } from './failure.ts';

export interface PageBody {
  readonly body: Uint8Array;
  /** It went on. */
  readonly truncated: boolean;
}

/** Bytes on the wire beyond those that are kept: compressed pages are not larger than pages, but for their frames. */
const MOST_OVERHEAD = 1_048_576;
const FIRST_BYTES = 65_536;

/** Memory that a page may ask its decompressor for: RFC 9659 gives Zstandard 8 MiB, RFC 7932 Brotli 16 MiB. */
const ZSTD_WINDOW_LOG = 23;

/** Not in each Node that devs runs on, and so not asked for. */
const createZstd: typeof zlib.createZstdDecompress | undefined = zlib.createZstdDecompress;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
  ...(createZstd === undefined
    ? []
    : [['zstd', () => createZstd({ params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })] as const]),
]);

/**
 * The body as it is meant, decompressed, up to so many bytes. What would be more is not made: a bomb is cut where it
 * begins to be one. Ends the connection.
 * @throws DevsError FETCH_FAILED; what the stream throws, when the body ends before it is complete
 */
export async function readBody(answer: IncomingMessage, maxBytes: number): Promise<PageBody> {
  const bytes = new GrowingBytes(maxBytes);
  try {
    for await (const chunk of await decoded(answer, maxBytes + MOST_OVERHEAD)) {
      if (chunk instanceof Uint8Array && !bytes.add(chunk)) return { body: bytes.finish(), truncated: true };
    }
    return { body: bytes.finish(), truncated: false };
  } finally {
    answer.destroy();
  }
}

async function decoded(answer: IncomingMessage, mostWireBytes: number): Promise<Readable> {
  const createDecoder = decoderFor(answer.headers['content-encoding'] ?? '');
  if (createDecoder === undefined) return answer;
  await once(answer, 'readable');
  // Nothing at all is no gzip, and yet what servers send with a refusal.
  if (answer.readableLength === 0) return answer;
  const decoder = createDecoder();
  // Its outcome is the reader's: an error comes out of the decoder.
  pipeline(answer, decoder, () => {});
  let wireBytes = 0;
  // Empty blocks make nothing of any number of bytes.
  answer.on('data', ({ length }: Uint8Array) => {
    wireBytes += length;
    if (wireBytes > mostWireBytes) answer.destroy(fetchFailed('The page is far larger compressed than it would be as it is.'));
  });
  return decoder;
}

/** Undefined: it is not compressed. */
function decoderFor(contentEncoding: string): (() => Transform) | undefined {
  const codings = contentEncoding.split(',').map((coding) => coding.trim().toLowerCase());
  const [coding, ...others] = codings.filter((name) => name !== '' && name !== 'identity');
  if (coding === undefined) return undefined;
  const createDecoder = DECODERS.get(coding);
  if (createDecoder === undefined || others.length > 0) throw fetchFailed('The page is compressed in a way that devs does not read.');
  return createDecoder;
}

/** Copies what it is given: a byte that came alone would keep all of what it came in. */
class GrowingBytes {
  readonly #most: number;
  #bytes: Buffer;
  #length = 0;

  constructor(most: number) {
    this.#most = most;
    this.#bytes = Buffer.alloc(Math.min(most, FIRST_BYTES));
  }

  /** False: not all of it fits. */
  add(chunk: Uint8Array): boolean {
    const kept = chunk.subarray(0, this.#most - this.#length);
    if (this.#length + kept.length > this.#bytes.length) this.#grow(this.#length + kept.length);
    this.#bytes.set(kept, this.#length);
    this.#length += kept.length;
    return kept.length === chunk.length;
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(least: number): void {
    const grown = Buffer.alloc(Math.min(this.#most, Math.max(least, 2 * this.#bytes.length)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
