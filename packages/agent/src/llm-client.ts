import type { JsonObject } from '@devs/core';

/** A block of a message, in the form of the Messages API. */
export type Block = JsonObject & { readonly type: string };

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** A tool as it is offered to a model. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

export interface LlmRequest {
  readonly model: string;
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
}

/** Tokens, as the API counts them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly cacheReadInputTokens: number;
}

/** One whole answer. What it holds is the model's word: nothing in it has been checked. */
export interface LlmAnswer {
  /** `content` and `stop_reason` of the Messages API; the input of a call that was no sound JSON is its text. */
  readonly response: { readonly content: readonly unknown[]; readonly stop_reason: unknown };
  readonly usage: Usage;
}

export type LlmEvent =
  /** More text of the answer. */
  | { readonly type: 'text'; readonly text: string }
  /** The request failed and is made again after `waitMs`. Text of the failed answer counts for nothing. */
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** The last one. */
  | { readonly type: 'answer'; readonly answer: LlmAnswer };

export type LlmFailureKind =
  | 'aborted'
  | 'not_authorized'
  | 'request_refused'
  | 'rate_limited'
  | 'overloaded'
  | 'timeout'
  | 'connection'
  | 'cut'
  | 'too_large'
  | 'bad_answer';

export interface LlmFailureDetails {
  readonly isRetryable?: boolean;
  /** Milliseconds that the API asks to wait. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Why there is no answer: a sentence of devs's, for the person who runs the agent. */
export class LlmFailure extends Error {
  readonly kind: LlmFailureKind;
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(kind: LlmFailureKind, sentence: string, { isRetryable = false, retryAfterMs, cause }: LlmFailureDetails = {}) {
    super(sentence, { cause });
    this.name = 'LlmFailure';
    this.kind = kind;
    this.isRetryable = isRetryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A model behind an API. */
export interface LlmClient {
  /** Streams one answer: text as it comes, then the whole. Throws `LlmFailure`. A caller that leaves early ends the request. */
  stream(request: LlmRequest, signal: AbortSignal): AsyncIterable<LlmEvent>;
}
