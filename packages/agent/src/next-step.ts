import type { LLMResponseValidation } from '@devs/core';
import type { AgentStopReason } from './events.ts';

export interface RunEnd {
  readonly stopReason: AgentStopReason;
  /** Why it is not the model's own end. */
  readonly error?: string;
}

export type NextStep =
  /** Run the calls and send their results. */
  | { readonly kind: 'run' }
  /** Send the answer back as it is: the model goes on. */
  | { readonly kind: 'resume' }
  | { readonly kind: 'end'; readonly end: RunEnd };

/** What follows from an answer. An answer that contradicts itself ends the run: devs does not guess which half is meant. */
export function nextStep(checked: LLMResponseValidation): NextStep {
  const { stopReason, errors, rejectedCalls, cutCalls, toolCalls } = checked;
  const asksForTools = toolCalls.length + rejectedCalls.length + cutCalls.length > 0;
  // What is wrong with calls can be repaired by the model; what is wrong with the answer cannot.
  if (errors.length > 0 && !asksForTools) return end('bad_answer', `The answer cannot be read: ${errors.slice(0, 3).join(' ')}`);
  switch (stopReason) {
    case 'end_turn':
    case 'stop_sequence':
      return asksForTools ? contradiction(`says ${stopReason} and asks for tools`) : { kind: 'end', end: { stopReason } };
    case 'tool_use':
      return asksForTools ? { kind: 'run' } : contradiction('says tool_use and asks for none');
    case 'max_tokens':
      return asksForTools ? { kind: 'run' } : end('max_tokens', 'The answer was cut off by the limit of its length (--max-tokens).');
    case 'pause_turn':
      return asksForTools ? contradiction('pauses and asks for tools') : { kind: 'resume' };
    case 'refusal':
      return end('refusal', 'The model refused to go on.');
    case 'model_context_window_exceeded':
      return end('model_context_window_exceeded', 'The conversation does not fit the context of the model.');
    default:
      return end('unknown_stop_reason', 'The answer ended for a reason that devs does not know; nothing of it was run.');
  }
}

function contradiction(how: string): NextStep {
  return end('bad_answer', `The answer ${how}; none was run.`);
}

function end(stopReason: AgentStopReason, error: string): NextStep {
  return { kind: 'end', end: { stopReason, error } };
}
