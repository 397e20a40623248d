import type { AgentEvent, AgentResult } from '@devs/agent';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { printable, printableLine, toJsonText, writeTo, type Terminal } from './terminal.ts';

/** Of arguments and results a line is shown; the call log has all of them. */
const MAX_SHOWN_CHARACTERS = 160;

/** A run of the agent as a person sees it: what the model says on standard output, what it does on standard error. */
export class AgentView {
  readonly #terminal: Terminal;
  readonly #json: boolean;
  /** True while a line of the model's text is not ended. */
  #isMidLine = false;

  constructor(terminal: Terminal, { json }: { readonly json: boolean }) {
    this.#terminal = terminal;
    this.#json = json;
  }

  /** Throws when nobody reads any more: an agent that works unseen is ended, and not as if it had come to its end. */
  async show(event: AgentEvent): Promise<void> {
    try {
      await this.#show(event);
    } catch (cause) {
      throw new CommandFailure(EXIT.toolError, 'The agent’s output can no longer be shown, so it was stopped.', cause);
    }
  }

  async #show(event: AgentEvent): Promise<void> {
    if (this.#json) return writeTo(this.#terminal.output, `${toJsonText(event)}\n`);
    if (event.type === 'text') return this.#showText(event.text);
    const line = toLine(event);
    if (line === undefined) return;
    await this.#endLine();
    await writeTo(this.#terminal.status, `${printableLine(line)}\n`);
  }

  async #showText(text: string): Promise<void> {
    if (text === '') return;
    // A model repeats what it has read, and a file may hold escapes.
    await writeTo(this.#terminal.output, printable(text));
    this.#isMidLine = !text.endsWith('\n');
  }

  async #endLine(): Promise<void> {
    if (!this.#isMidLine) return;
    this.#isMidLine = false;
    await writeTo(this.#terminal.output, '\n');
  }
}

function toLine(event: Exclude<AgentEvent, { type: 'text' }>): string | undefined {
  switch (event.type) {
    case 'start':
      return `devs agent ${event.agentId} with ${event.model}; its calls: devs logs --agent ${event.agentId}`;
    case 'turn':
      return undefined;
    case 'retry':
      return `… ${event.reason} Asking again in ${(event.waitMs / 1_000).toFixed(1)} s; the text of this answer is void.`;
    case 'call':
      return `→ ${event.name} ${shorten(JSON.stringify(event.input))}`;
    case 'call_result':
      return `${event.isError ? '✗' : '✓'} ${event.name} ${event.code ?? ''} ${shorten(event.text)}`.replaceAll(/ {2,}/g, ' ');
    case 'notice':
      return `! ${event.text}`;
    case 'result':
      return toSummary(event);
  }
}

function toSummary({ stopReason, turns, toolCalls, usage, error }: AgentResult): string {
  const input = usage.inputTokens + usage.cacheCreationInputTokens + usage.cacheReadInputTokens;
  const end = error === undefined ? stopReason : `${stopReason}: ${error}`;
  return `${end} (${turns} answers, ${toolCalls} calls, ${input} tokens in, ${usage.outputTokens} out)`;
}

function shorten(text: string): string {
  return text.length <= MAX_SHOWN_CHARACTERS ? text : `${text.slice(0, MAX_SHOWN_CHARACTERS)}…`;
}
