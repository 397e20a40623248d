import type { LLMResponseValidation, ToolExecutionContext } from '@devs/core';
import { Conversation } from './conversation.ts';
import type { ContextBudget } from './context-budget.ts';
import type { AgentEvent, AgentResult } from './events.ts';
import type { LlmAnswer, Usage } from './llm-client.ts';
import type { RunEnd } from './next-step.ts';
import type { ToolOffer } from './offer-tools.ts';

/** Answers in a row that may be of one bad kind. */
export interface Tries {
  readonly cut: number;
  readonly paused: number;
  readonly invalid: number;
}

export interface AgentRunParts {
  readonly task: string;
  readonly system: string;
  readonly context: ToolExecutionContext;
  readonly offer: ToolOffer;
  readonly budget: ContextBudget;
  readonly tries: Tries;
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgentEvent) => Promise<void> | void;
}

/** What one run of the loop remembers. */
export class AgentRun {
  readonly task: string;
  readonly system: string;
  readonly context: ToolExecutionContext;
  readonly offer: ToolOffer;
  readonly signal: AbortSignal;
  readonly conversation: Conversation;
  /** Answers of the model that were asked for. */
  turn = 0;
  toolCalls = 0;
  readonly #parts: AgentRunParts;
  readonly #tries = { cut: 0, paused: 0, invalid: 0 };
  #turns = 0;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  #text = '';
  #telling = Promise.resolve();

  constructor(parts: AgentRunParts) {
    this.#parts = parts;
    ({ task: this.task, system: this.system, context: this.context, offer: this.offer, signal: this.signal } = parts);
    this.conversation = new Conversation(parts.task);
  }

  get agentId(): string {
    return this.context.agentId;
  }

  /** One at a time: calls that run together would overtake each other in a listener that takes its time. */
  async tell(event: AgentEvent): Promise<void> {
    this.#telling = this.#telling.then(async () => this.#parts.onEvent(event));
    await this.#telling;
  }

  async notice(text: string): Promise<void> {
    await this.tell({ type: 'notice', turn: this.turn, text });
  }

  async nextTurn(): Promise<void> {
    this.turn += 1;
    await this.tell({ type: 'turn', turn: this.turn });
  }

  addAnswer({ usage }: LlmAnswer, text: string): void {
    this.#turns += 1;
    this.#text = text;
    this.#usage = addUsage(this.#usage, usage);
  }

  /** Counts answers of one bad kind in a row; gives the end when there were too many. */
  countTries({ cutCalls, toolCalls, rejectedCalls, stopReason }: LLMResponseValidation, canBeSent: boolean): RunEnd | undefined {
    if (!canBeSent) return { stopReason: 'bad_answer', error: 'The answer is empty, and yet it is not the end.' };
    const { cut, paused, invalid } = this.#parts.tries;
    const tries = this.#tries;
    tries.cut = cutCalls.length > 0 ? tries.cut + 1 : 0;
    tries.paused = stopReason === 'pause_turn' ? tries.paused + 1 : 0;
    tries.invalid = toolCalls.length === 0 && rejectedCalls.length > 0 ? tries.invalid + 1 : 0;
    if (tries.cut > cut) return { stopReason: 'max_tokens', error: 'Call after call was cut off by the limit of the answer (--max-tokens).' };
    if (tries.paused > paused) return { stopReason: 'pause_turn', error: `The model paused more than ${paused} times in a row.` };
    if (tries.invalid > invalid) return { stopReason: 'invalid_calls', error: `More than ${invalid} answers in a row made only calls that must not run.` };
    return undefined;
  }

  /**
   * Takes results out of the conversation, the oldest first, until it fits the budget, and says so. The task and what
   * the model said stay; when they are too much, the run ends: a task that is cut in the middle of the work is another.
   */
  async fitContext(): Promise<RunEnd | undefined> {
    const { budget } = this.#parts;
    const fixed = this.system + JSON.stringify(this.offer.offered);
    if ((await budget.excess(fixed, [])) > 0) return { stopReason: 'context_limit', error: 'The tools and the system prompt alone are larger than limits.maxTotalContextTokens allows.' };
    let dropped = 0;
    let characters = 0;
    while ((await budget.excess(fixed, this.conversation.messages)) > 0) {
      const size = this.conversation.dropOldestResult();
      if (size === undefined) return { stopReason: 'context_limit', error: 'The conversation is larger than limits.maxTotalContextTokens allows, and nothing more can be left out.' };
      dropped += 1;
      characters += size;
    }
    if (dropped > 0) await this.notice(`To stay within the context, the oldest results were left out: ${dropped}, with ${characters} characters.`);
    return undefined;
  }

  toResult({ stopReason, error }: RunEnd): AgentResult {
    return {
      type: 'result',
      status: STATUSES.get(stopReason) ?? 'error',
      stopReason,
      agentId: this.agentId,
      turns: this.#turns,
      toolCalls: this.toolCalls,
      usage: this.#usage,
      text: this.#text,
      ...(error !== undefined && { error }),
    };
  }
}

const STATUSES: ReadonlyMap<string, AgentResult['status']> = new Map([
  ['end_turn', 'ok'],
  ['stop_sequence', 'ok'],
  ['aborted', 'stopped'],
]);

function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheCreationInputTokens: one.cacheCreationInputTokens + other.cacheCreationInputTokens,
    cacheReadInputTokens: one.cacheReadInputTokens + other.cacheReadInputTokens,
  };
}
