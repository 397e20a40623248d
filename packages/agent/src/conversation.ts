import { copyPlain, isRecord, isRefused, ownValue, type Json } from '@devs/core';
import type { Block, Message } from './llm-client.ts';

/** What the API takes for the id of a call; a model behind another server may give any. */
const SENDABLE_ID = /^[A-Za-z0-9_-]{1,64}$/;
const UNSENDABLE = /[^A-Za-z0-9_-]/g;
const MAX_NAME_CHARACTERS = 128;

/** The answer to one call, in the place of the call. */
export interface CallAnswer {
  /** Which block of the answer the call is. */
  readonly index: number;
  readonly texts: readonly string[];
  readonly failed: boolean;
}

/**
 * What is sent to the model: the task, its answers, the results. What it said is sent back as the API takes it: ids
 * are made anew where they are missing or stand twice, an input that is no object is left out, and so is what no JSON can hold.
 */
export class Conversation {
  readonly #messages: Message[];
  readonly #ids = new Set<string>();
  /** The ids of the last answer's calls, by their place in it. */
  #asked = new Map<number, string>();

  constructor(task: string) {
    this.#messages = [{ role: 'user', content: [textBlock(task)] }];
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** False for an answer of which nothing can be sent back: the API takes no empty message. */
  addAnswer(content: readonly unknown[]): boolean {
    this.#asked = new Map();
    const blocks = content.flatMap((block, index) => this.#toSendable(block, index)).map(endWithInk);
    if (blocks.length > 0) this.#messages.push({ role: 'assistant', content: blocks });
    return blocks.length > 0;
  }

  /** One result for each call of the last answer, in any order; they are sent in the order of the calls. */
  addResults(answers: readonly CallAnswer[]): void {
    const byPlace = new Map(answers.map((answer) => [answer.index, answer]));
    const content = [...this.#asked].map(([index, id]) => toResultBlock(id, byPlace.get(index)));
    this.#messages.push({ role: 'user', content });
  }

  /**
   * Takes the text out of the oldest result that still has some. Gives how many characters went, or undefined when
   * there is nothing left to take. The task and the model's words stay.
   */
  dropOldestResult(): number | undefined {
    for (const [at, message] of this.#messages.entries()) {
      const index = message.content.findIndex((block) => block.type === 'tool_result' && sizeOf(block) > DROPPED.length);
      const block = message.content[index];
      if (block === undefined) continue;
      const content = [textBlock(DROPPED)];
      this.#messages[at] = { ...message, content: message.content.with(index, { ...block, content }) };
      return sizeOf(block);
    }
    return undefined;
  }

  #toSendable(block: unknown, index: number): readonly Block[] {
    const type = ownValue(block, 'type');
    if (type === 'tool_use') return [this.#toSendableCall(block, index)];
    const copied = copyPlain(block);
    if (isRefused(copied) || !isBlock(copied.value)) return [];
    // The API refuses a conversation with an empty or a blank text in it, and models begin with blank lines.
    return type === 'text' && isBlank(textOf(copied.value, 'text')) ? [] : [copied.value];
  }

  #toSendableCall(block: unknown, index: number): Block {
    const asked = ownValue(block, 'id');
    const isFree = typeof asked === 'string' && SENDABLE_ID.test(asked) && !this.#ids.has(asked);
    const id = isFree ? asked : this.#makeId();
    this.#ids.add(id);
    this.#asked.set(index, id);
    const name = textOf(block, 'name').slice(0, MAX_NAME_CHARACTERS).replaceAll(UNSENDABLE, '_') || 'unnamed';
    const input = copyPlain(ownValue(block, 'input'));
    return { type: 'tool_use', id, name, input: !isRefused(input) && isRecord(input.value) ? input.value : {} };
  }

  /** One that no call has had: the model may have given an id that looks like ours. */
  #makeId(): string {
    let number = this.#ids.size;
    while (this.#ids.has(`devs_${number}`)) number += 1;
    return `devs_${number}`;
  }
}

const DROPPED = '[devs took this result out to stay within the context; call the tool again, for less at once, if you need it.]';
/** The API asks for one result a call; that there is none is said, not left open. */
const NOTHING: CallAnswer = { index: 0, texts: ['Not run.'], failed: true };

function toResultBlock(id: string, { texts, failed } = NOTHING): Block {
  const content = texts.filter((text) => !isBlank(text)).map(textBlock);
  const nothing = texts.some((text) => text !== '') ? '(white space alone)' : '(no output)';
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: content.length > 0 ? content : [textBlock(nothing)],
    ...(failed && { is_error: true }),
  };
}

function isBlank(text: string): boolean {
  return !/[^\s\u001c-\u001f\u0085]/.test(text);
}

/** The API refuses an answer whose last text ends in white space, where it is to be gone on with. */
function endWithInk(block: Block, index: number, { length }: readonly Block[]): Block {
  return index === length - 1 && block.type === 'text' ? { ...block, text: textOf(block, 'text').trimEnd() } : block;
}

function sizeOf({ content }: Block): number {
  if (!Array.isArray(content)) return 0;
  return content.reduce<number>((sum, block: Json) => sum + textOf(block, 'text').length, 0);
}

/** A text, or nothing: what is no text may have a `toString` of its own. */
function textOf(block: unknown, key: string): string {
  const value = ownValue(block, key);
  return typeof value === 'string' ? value : '';
}

function isBlock(value: Json): value is Block {
  return isRecord(value) && typeof value['type'] === 'string';
}

function textBlock(text: string): Block {
  return { type: 'text', text };
}
