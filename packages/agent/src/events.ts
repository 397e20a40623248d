import type { Json } from '@devs/core';
import type { Usage } from './llm-client.ts';

/** Why a run ended. The first seven are the model's own words, or the API's. */
export type AgentStopReason =
  | 'end_turn'
  | 'stop_sequence'
  | 'max_tokens'
  | 'refusal'
  | 'pause_turn'
  | 'model_context_window_exceeded'
  | 'unknown_stop_reason'
  /** The answer contradicts itself, or cannot be read. */
  | 'bad_answer'
  /** The API did not answer. */
  | 'api_error'
  /** The API does not accept the key. */
  | 'not_authorized'
  | 'max_turns'
  /** Answer after answer made only calls that must not run. */
  | 'invalid_calls'
  | 'context_limit'
  /** The call log cannot be written: no tool runs without it. */
  | 'log_unavailable'
  | 'aborted'
  | 'internal_error';

export interface AgentResult {
  readonly type: 'result';
  /** `ok`: the model came to its end. `stopped`: somebody ended it. `error`: everything else. */
  readonly status: 'ok' | 'stopped' | 'error';
  readonly stopReason: AgentStopReason;
  readonly agentId: string;
  /** Answers of the model. */
  readonly turns: number;
  /** Calls that were answered by the gate, refused ones too. */
  readonly toolCalls: number;
  /** Of all turns together. */
  readonly usage: Usage;
  /** The text of the last answer. */
  readonly text: string;
  /** Why it did not end by itself, in a sentence. */
  readonly error?: string;
}

/** What a run tells while it goes, in order. Plain data: each can be written as JSON. */
export type AgentEvent =
  | { readonly type: 'start'; readonly agentId: string; readonly model: string; readonly tools: readonly string[] }
  /** The model is asked; `turn` counts its answers from 1, and is the `turnIndex` in the call log. */
  | { readonly type: 'turn'; readonly turn: number }
  /** More text of the answer that is being given. */
  | { readonly type: 'text'; readonly turn: number; readonly text: string }
  /** The API failed and is asked again. Text of this turn so far counts for nothing. */
  | { readonly type: 'retry'; readonly turn: number; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** A call goes into the gate. `rejected`: it is known that it must not run, and the gate is told to record it. */
  | { readonly type: 'call'; readonly turn: number; readonly where: string; readonly name: string; readonly input: Json; readonly rejected: boolean }
  /** What came out of the gate, as the model gets it. */
  | {
      readonly type: 'call_result';
      readonly turn: number;
      readonly where: string;
      readonly name: string;
      readonly isError: boolean;
      /** The code of a refusal. */
      readonly code?: string;
      readonly text: string;
    }
  /** Something that a person should know: a text was cut, a call was cut off, a result left the context. */
  | { readonly type: 'notice'; readonly turn: number; readonly text: string }
  | AgentResult;
