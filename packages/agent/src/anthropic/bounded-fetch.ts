import { LlmFailure } from '../llm-client.ts';
import { withTimeLimit, type Timer } from '../timer.ts';

export interface WireLimits {
  /** Bytes of one answer, decompressed. Default 33,554,432. */
  readonly maxAnswerBytes: number;
  /** Milliseconds until the answer begins. Default 120,000. */
  readonly firstByteTimeoutMs: number;
  /** Milliseconds between two parts of an answer. Default 120,000. */
  readonly idleTimeoutMs: number;
  /** Milliseconds of a whole answer. Default 1,800,000. */
  readonly answerTimeoutMs: number;
}

export const DEFAULT_WIRE_LIMITS: WireLimits = Object.freeze({
  maxAnswerBytes: 33_554_432,
  firstByteTimeoutMs: 120_000,
  idleTimeoutMs: 120_000,
  answerTimeoutMs: 1_800_000,
});

/** Of an error page only its sentence is of use. */
const MAX_ERROR_BYTES = 65_536;

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * `fetch` with bounds that the SDK has not: its timeout ends when the headers are there, and it holds whatever
 * comes. Redirects are not followed: they would carry the conversation to somebody else.
 */
export function createBoundedFetch(limits: WireLimits, timer: Timer): Fetch {
  return async (url, init) => {
    const late = new AbortController();
    const signal = AbortSignal.any([late.signal, ...(init?.signal ? [init.signal] : [])]);
    const response = await withTimeLimit(fetch(url, { ...init, signal, redirect: 'error' }), limits.firstByteTimeoutMs, {
      timer,
      onLate: () => {
        // Nobody waits for it: it must not hold a connection for as long as the process lives.
        late.abort();
        return timedOut('The API did not begin to answer in time.');
      },
    });
    const { status, statusText, headers, ok, body } = response;
    if (ok && !isEventStream(headers)) {
      await body?.cancel();
      throw new LlmFailure('bad_answer', 'The API did not answer with an event stream: is ANTHROPIC_BASE_URL right?');
    }
    const bounded = body === null ? null : boundBody(body, { limits, timer, isAnswer: ok });
    return new Response(bounded, { status, statusText, headers });
  };
}

function isEventStream(headers: Headers): boolean {
  return (headers.get('content-type') ?? '').toLowerCase().startsWith('text/event-stream');
}

interface Bounds {
  readonly limits: WireLimits;
  readonly timer: Timer;
  readonly isAnswer: boolean;
}

function boundBody(body: ReadableStream<Uint8Array>, { limits, timer, isAnswer }: Bounds): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const endsAt = timer.now() + limits.answerTimeoutMs;
  let bytesLeft = isAnswer ? limits.maxAnswerBytes : MAX_ERROR_BYTES;
  const next = async (): Promise<Uint8Array | undefined> => {
    const timeLeft = Math.min(limits.idleTimeoutMs, endsAt - timer.now());
    if (timeLeft <= 0) throw timedOut('The API took too long for one answer.');
    const { value } = await withTimeLimit(reader.read(), timeLeft, {
      timer,
      onLate: () => timedOut('The API fell silent in the middle of an answer.'),
    });
    bytesLeft -= value?.byteLength ?? 0;
    if (bytesLeft >= 0) return value;
    if (!isAnswer) return undefined;
    throw new LlmFailure('too_large', `The answer is larger than ${limits.maxAnswerBytes} bytes.`);
  };
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const chunk = await next();
        if (chunk !== undefined) return controller.enqueue(chunk);
        controller.close();
      } catch (cause) {
        controller.error(cause instanceof LlmFailure ? cause : brokenOff(cause));
      }
      await reader.cancel().catch(() => undefined);
    },
    cancel: async (reason) => reader.cancel(reason),
  });
}

function brokenOff(cause: unknown): LlmFailure {
  return new LlmFailure('cut', 'The connection broke in the middle of an answer.', { isRetryable: true, cause });
}

function timedOut(sentence: string): LlmFailure {
  return new LlmFailure('timeout', sentence, { isRetryable: true });
}
