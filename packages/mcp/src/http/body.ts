import type { IncomingMessage } from 'node:http';
import { EnvelopePeeker } from '../raw/envelope-peek.ts';
import { MessageBuffer, type Content } from '../raw/message-buffer.ts';
import { STOPPING, tooMany, type Refusal } from './refusal.ts';
import type { Share } from './share.ts';

export type Body =
  | Content
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The client has gone before it had sent it all. */
  | { readonly kind: 'gone' };

export interface BodyOptions {
  readonly maxBytes: number;
  /** Grows with what is held of the body. What it is at the end stays with whoever gave it. */
  readonly share: Share;
  /** Aborted when devs stops: a body that is half here is then no longer waited for. */
  readonly stopping: AbortSignal;
}

/** Takes the pieces of a body; gives the body as soon as no more of it is wanted. */
interface Sink {
  take(piece: Buffer): Body | undefined;
  end(): Body;
}

/** Enough to tell which call it would have been. */
const LOOKED_AT_BYTES = 64 * 1024;

/** Reads a body, and no more of one that is too large than shows what it is. Never rejects; the request is then paused. */
export async function readBody(request: IncomingMessage, options: BodyOptions): Promise<Body> {
  const declared = declaredLength(request) ?? 0;
  const sink = declared > options.maxBytes ? lookAt(declared, options) : keep(declared, options);
  return collect(request, sink, options.stopping);
}

/** As the client says it in its headers; undefined when it says nothing. Its digits were checked by the parser. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

export function describeTooLong(bytes: number, maxBytes: number): string {
  return `is ${bytes} bytes long; at most ${maxBytes} are accepted`;
}

function keep(declared: number, { maxBytes, share }: BodyOptions): Sink {
  const buffer = new MessageBuffer(maxBytes, declared === 0 ? undefined : declared);
  return {
    take: (piece) => {
      if (!share.resize(buffer.roomFor(piece.length))) return { kind: 'refused', refusal: NO_ROOM };
      buffer.push(piece);
      if (!buffer.isTooLarge) return undefined;
      const content = buffer.take();
      // It is not read to its end, so nobody knows how long it is.
      return content.kind === 'oversized' ? { ...content, problem: `is longer than ${maxBytes} bytes` } : content;
    },
    end: () => {
      const content = buffer.take();
      share.resize(content.kind === 'whole' ? content.bytes.length : 0);
      return content;
    },
  };
}

const NO_ROOM = tooMany('The messages of other requests fill the room that devs has for them.');

function lookAt(declared: number, { maxBytes }: BodyOptions): Sink {
  const peeker = new EnvelopePeeker();
  let bytes = 0;
  const end = (): Body => ({ kind: 'oversized', problem: describeTooLong(declared, maxBytes), bytes, peek: peeker.peek });
  const take = (piece: Buffer): Body | undefined => {
    peeker.push(piece.subarray(0, LOOKED_AT_BYTES - bytes));
    bytes += piece.length;
    return bytes < LOOKED_AT_BYTES ? undefined : end();
  };
  return { take, end };
}

async function collect(request: IncomingMessage, sink: Sink, stopping: AbortSignal): Promise<Body> {
  const { promise, resolve } = Promise.withResolvers<Body>();
  const onData = (piece: Buffer) => finish(sink.take(piece));
  const onEnd = () => finish(sink.end());
  const onGone = () => finish({ kind: 'gone' });
  const onStop = () => finish({ kind: 'refused', refusal: STOPPING });
  // In the same turn: the stream may have more pieces at hand.
  const finish = (body: Body | undefined) => {
    if (body === undefined) return;
    request.pause().off('data', onData).off('end', onEnd).off('close', onGone);
    stopping.removeEventListener('abort', onStop);
    resolve(body);
  };
  // The error listener stays: a connection that breaks later must not end the process.
  request.on('error', onGone).on('data', onData).on('end', onEnd).on('close', onGone);
  stopping.addEventListener('abort', onStop);
  if (stopping.aborted) onStop();
  return promise;
}
