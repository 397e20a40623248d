import { Anthropic } from '@anthropic-ai/sdk';
import { LlmFailure, type LlmClient, type LlmEvent, type LlmRequest } from '../llm-client.ts';
import { createTimer, type Timer } from '../timer.ts';
import { createBoundedFetch, DEFAULT_WIRE_LIMITS, type WireLimits } from './bounded-fetch.ts';
import { readStream } from './read-stream.ts';
import { toFailure } from './to-failure.ts';

export interface AnthropicClientOptions {
  readonly apiKey: string;
  /** Default `https://api.anthropic.com`. */
  readonly baseUrl?: string;
  /** Requests for one answer, the first included. Default 5. */
  readonly maxAttempts?: number;
  readonly limits?: Partial<WireLimits>;
  readonly timer?: Timer;
  /** 0 to 1, for the spread of waits. Default `Math.random`. */
  readonly random?: () => number;
}

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const DEFAULT_MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** Longest wait that the API can ask for. */
const MAX_RETRY_AFTER_MS = 60_000;
/** The SDK's own timer must not go off before ours. */
const NO_TIMEOUT_MS = 2_147_483_647;
/** The SDK would write requests and answers to the terminal when `ANTHROPIC_LOG` says so. */
const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** The Messages API over its SDK. Retries, time limits and the cap on an answer are devs's own: the SDK's end where the headers end. */
export class AnthropicClient implements LlmClient {
  readonly #api: Anthropic;
  readonly #apiKey: string;
  readonly #timer: Timer;
  readonly #maxAttempts: number;
  readonly #random: () => number;

  constructor({ apiKey, baseUrl = DEFAULT_BASE_URL, limits = {}, ...options }: AnthropicClientOptions) {
    this.#apiKey = apiKey;
    this.#timer = options.timer ?? createTimer();
    this.#maxAttempts = options.maxAttempts ?? DEFAULT_MAX_ATTEMPTS;
    this.#random = options.random ?? Math.random;
    const boundedFetch = createBoundedFetch({ ...DEFAULT_WIRE_LIMITS, ...limits }, this.#timer);
    this.#api = new Anthropic({
      apiKey,
      baseURL: baseUrl,
      maxRetries: 0,
      timeout: NO_TIMEOUT_MS,
      fetch: async (url, init) => boundedFetch(url, { ...init, headers: toOwnHeaders(init?.headers, apiKey) }),
      logger: SILENT,
      logLevel: 'off',
      openTelemetry: false,
    });
  }

  async *stream(request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        yield* this.#attempt(request, signal);
        return;
      } catch (cause) {
        const failure = toFailure(cause, { signal, secret: this.#apiKey });
        if (!failure.isRetryable || attempt >= this.#maxAttempts) throw failure;
        const waitMs = this.#waitBefore(attempt, failure);
        yield { type: 'retry', attempt, waitMs, reason: failure.message };
        await this.#sleep(waitMs, signal);
      }
    }
  }

  async *#attempt({ model, maxTokens, system, messages, tools }: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const body = {
      model,
      max_tokens: maxTokens,
      system,
      messages,
      ...(tools.length > 0 && { tools }),
      // What a conversation begins with is paid once, not every turn.
      cache_control: { type: 'ephemeral' },
      stream: true,
    };
    // As `messages.create` asks it; untyped, since what comes over the wire is checked and not believed.
    const events = await this.#api.post<AsyncIterable<unknown>>('/v1/messages', { body, stream: true, signal });
    // The SDK ends an aborted stream as if it were whole; without its last event it counts as broken off.
    yield* readStream(events);
  }

  /** Twice as long each time, a quarter of it by chance; or as long as the API asks, within bounds. */
  #waitBefore(attempt: number, { retryAfterMs }: LlmFailure): number {
    if (retryAfterMs !== undefined) return Math.min(Math.ceil(retryAfterMs), MAX_RETRY_AFTER_MS);
    const longest = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS);
    return Math.round(longest * (1 - this.#random() / 4));
  }

  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#timer.sleep(milliseconds, signal);
    } catch (cause) {
      throw new LlmFailure('aborted', 'Stopped.', { cause });
    }
  }
}

const OWN_HEADERS = /^(accept|content-type|user-agent|anthropic-version|x-stainless-.+)$/;

/** The SDK adds what ANTHROPIC_CUSTOM_HEADERS says, another key too, which no error of devs would know to keep back. */
function toOwnHeaders(given: ConstructorParameters<typeof Headers>[0], apiKey: string): Headers {
  const headers = new Headers([...new Headers(given)].filter(([name]) => OWN_HEADERS.test(name)));
  headers.set('authorization', `Bearer ${apiKey}`);
  return headers;
}
