import { Buffer } from 'node:buffer';
import type { Block, Message } from './llm-client.ts';
import { loadTokenCounter, type CountTokens } from './token-counter.ts';

/** Models have encodings of their own, which no one else can count by: up to this much more than o200k has. */
const MARGIN = 1.4;
/** Of each message, for what is around it. */
const TOKENS_PER_MESSAGE = 16;

/** Bytes that are encoded for one request, for each token of the budget; real text has three or four. What is beyond counts a token a byte. */
const ENCODED_BYTES_PER_TOKEN = 8;

interface Size {
  readonly bytes: number;
  tokens: number | undefined;
}

/** Estimates, on this machine, how much of a model's context a request takes; on the high side. */
export class ContextBudget {
  readonly #maxTokens: number;
  readonly #load: () => Promise<CountTokens>;
  /** Each block is measured once: an answer of a thousand calls would else be written out a thousand times. */
  readonly #sizes = new WeakMap<Block, Size>();
  #count: CountTokens | undefined;
  /** What is sent with each request, measured once: it is counted anew for every result that is dropped. */
  #fixed: { readonly text: string; readonly size: Size } | undefined;

  constructor(maxTokens: number, load: () => Promise<CountTokens> = loadTokenCounter) {
    this.#maxTokens = maxTokens;
    this.#load = load;
  }

  /** Tokens beyond the budget; 0 when all fits. `fixed` is what is sent with each request: the system prompt and the tools. */
  async excess(fixed: string, messages: readonly Message[]): Promise<number> {
    const blocks = messages.flatMap(({ content }) => content);
    const around = messages.length * TOKENS_PER_MESSAGE;
    // No encoding has more tokens than bytes, so most requests need no count at all.
    const always = this.#sizeOfFixed(fixed);
    const bytes = blocks.reduce((sum, block) => sum + this.#sizeOf(block).bytes, always.bytes + around);
    if (bytes <= this.#maxTokens) return 0;
    const count = (this.#count ??= await this.#load());
    let encodable = this.#maxTokens * ENCODED_BYTES_PER_TOKEN;
    const tokensOf = (block: Block): number => {
      const size = this.#sizeOf(block);
      // An answer of 32 MB must not be encoded to learn that it does not fit.
      if (size.tokens === undefined && size.bytes > encodable) return size.bytes;
      if (size.tokens === undefined) encodable -= size.bytes;
      return (size.tokens ??= count(JSON.stringify(block)));
    };
    always.tokens ??= count(fixed);
    const tokens = blocks.reduce((sum, block) => sum + tokensOf(block), always.tokens + around);
    return Math.max(0, Math.ceil(tokens * MARGIN) - this.#maxTokens);
  }

  #sizeOfFixed(text: string): Size {
    if (this.#fixed?.text !== text) this.#fixed = { text, size: { bytes: Buffer.byteLength(text), tokens: undefined } };
    return this.#fixed.size;
  }

  #sizeOf(block: Block): Size {
    const known = this.#sizes.get(block);
    if (known !== undefined) return known;
    const size: Size = { bytes: Buffer.byteLength(JSON.stringify(block), 'utf8'), tokens: undefined };
    this.#sizes.set(block, size);
    return size;
  }
}
