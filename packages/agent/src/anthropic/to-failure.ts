import { cutWords } from '@devs/core';
import { APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { LlmFailure, type LlmFailureKind } from '../llm-client.ts';

const MAX_DETAIL_CHARACTERS = 300;
const MAX_CAUSES = 5;

interface Rule {
  readonly kind: LlmFailureKind;
  readonly sentence: string;
  readonly isRetryable: boolean;
}

const RATE_LIMITED: Rule = { kind: 'rate_limited', sentence: 'The API asks for fewer requests', isRetryable: true };
const OVERLOADED: Rule = { kind: 'overloaded', sentence: 'The API is overloaded', isRetryable: true };
const FAULTY: Rule = { kind: 'overloaded', sentence: 'The API has a fault of its own', isRetryable: true };
const TIMED_OUT: Rule = { kind: 'timeout', sentence: 'The request timed out', isRetryable: true };
const NOT_AUTHORIZED: Rule = { kind: 'not_authorized', sentence: 'The API does not accept the key', isRetryable: false };
const REFUSED: Rule = { kind: 'request_refused', sentence: 'The API refuses the request', isRetryable: false };

const BY_STATUS = new Map([
  [401, NOT_AUTHORIZED],
  [403, NOT_AUTHORIZED],
  [408, TIMED_OUT],
  [409, FAULTY],
  [429, RATE_LIMITED],
  [529, OVERLOADED],
]);

/** An error in the middle of a stream has no status, only a word. */
const BY_TYPE = new Map([
  ['authentication_error', NOT_AUTHORIZED],
  ['permission_error', NOT_AUTHORIZED],
  ['rate_limit_error', RATE_LIMITED],
  ['overloaded_error', OVERLOADED],
  ['timeout_error', TIMED_OUT],
  ['api_error', FAULTY],
]);

export interface FailureSetting {
  readonly signal: AbortSignal;
  /** Cut out of whatever the API said: a hostile one would have it shown on a screen or kept in a file. */
  readonly secret: string;
}

/** What the SDK, `fetch` or the reading of a stream threw, in words of devs's. */
export function toFailure(cause: unknown, { signal, secret }: FailureSetting): LlmFailure {
  if (signal.aborted || cause instanceof APIUserAbortError) return new LlmFailure('aborted', 'Stopped.', { cause });
  const own = findOwn(cause);
  if (own !== undefined) return own;
  if (cause instanceof APIConnectionTimeoutError) return new LlmFailure('timeout', `${TIMED_OUT.sentence}.`, { isRetryable: true, cause });
  if (isApiError(cause) && (cause.status !== undefined || cause.type !== null)) return toApiFailure(cause, secret);
  if (isApiError(cause)) return new LlmFailure('connection', 'The API cannot be reached.', { isRetryable: true, cause });
  if (cause instanceof SyntaxError) return new LlmFailure('cut', 'The stream of the answer is broken.', { isRetryable: true, cause });
  return new LlmFailure('bad_answer', 'The answer of the API cannot be read.', { cause });
}

function isApiError(cause: unknown): cause is APIError {
  return cause instanceof APIError;
}

/** Thrown below the SDK, which wraps it. */
function findOwn(cause: unknown): LlmFailure | undefined {
  let inner = cause;
  for (let depth = 0; depth < MAX_CAUSES && inner instanceof Error; depth += 1) {
    if (inner instanceof LlmFailure) return inner;
    inner = inner.cause;
  }
  return undefined;
}

function toApiFailure(error: APIError, secret: string): LlmFailure {
  const { status, headers } = error;
  const { kind, sentence, isRetryable } = ruleOf(error);
  const said = error.apiMessage;
  const detail = typeof said === 'string' && said !== '' ? `: ${shorten(said, secret)}` : '';
  const shouldRetry = headers?.get('x-should-retry');
  const retryAfterMs = headers === undefined ? undefined : readRetryAfter(headers);
  return new LlmFailure(kind, `${sentence}${status === undefined ? '' : ` (${status})`}${detail}.`, {
    // The API's own word goes before the table, as the SDK has it.
    isRetryable: shouldRetry === 'true' || (shouldRetry !== 'false' && isRetryable),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function ruleOf({ status, type }: APIError): Rule {
  if (status === undefined) return BY_TYPE.get(String(type)) ?? REFUSED;
  return BY_STATUS.get(status) ?? (status >= 500 ? FAULTY : REFUSED);
}

/** Milliseconds; seconds or a date in the header. Undefined when there is none that can be read. */
function readRetryAfter(headers: Headers): number | undefined {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (milliseconds > 0) return milliseconds;
  const header = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(header);
  const asked = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return asked > 0 ? asked : undefined;
}

/** The secret goes first: cut in half by the limit it would still be half of it. */
function shorten(said: string, secret: string): string {
  const text = said.slice(0, 10 * MAX_DETAIL_CHARACTERS).replaceAll(secret === '' ? '\0' : secret, '[key]').replaceAll(/\s+/gu, ' ').trim();
  return text.length <= MAX_DETAIL_CHARACTERS ? text.replace(/\.$/, '') : `${cutWords(text, MAX_DETAIL_CHARACTERS)}…`;
}
