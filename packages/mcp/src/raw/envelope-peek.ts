/** What is seen of a message that is not read: enough to answer it, and to say in the log what it asked for. */
export interface EnvelopePeek {
  readonly id?: string | number;
  readonly method?: string;
  /** `params.name` of a `tools/call`. */
  readonly toolName?: string;
  /** It has a `result` or an `error`: an answer to an answer could go round for ever. */
  readonly isAnswer?: boolean;
}

/** Longer ids, methods and names are not kept: what is refused for its size must not be held by its parts. */
const MOST_TOKEN_BYTES = 1_024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Looks at the bytes of a JSON text as they pass, once, in constant memory: how deep it is, how many
 * values and members of objects it holds, and which message it would be. Checks no grammar; whoever keeps the bytes parses them.
 */
export class EnvelopePeeker {
  readonly #token = Buffer.allocUnsafe(MOST_TOKEN_BYTES);
  /** Undefined when there is no token at hand, or one that is too long to keep. */
  #tokenBytes: number | undefined;
  #tokenIsString = false;
  #inString = false;
  #escaped = false;
  #depth = 0;
  #values = 1;
  #members = 0;
  /** The key at hand on the two outermost levels. */
  readonly #keys = ['', '', ''];
  #id: string | number | undefined;
  #method: string | undefined;
  #toolName: string | undefined;
  #isAnswer = false;

  push(bytes: Uint8Array): void {
    // By index: an iterator would cost several times the scan.
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (this.#inString) this.#readString(byte);
      else this.#readStructure(byte);
    }
  }

  get values(): number {
    return this.#values;
  }

  /** Of objects, over all levels. */
  get members(): number {
    return this.#members;
  }

  get peek(): EnvelopePeek {
    const [id, method, toolName] = [this.#id, this.#method, this.#toolName];
    return {
      ...(id !== undefined && { id }),
      ...(method !== undefined && { method }),
      ...(toolName !== undefined && { toolName }),
      ...(this.#isAnswer && { isAnswer: true }),
    };
  }

  #readString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      return;
    }
    this.#keep(byte);
  }

  #readStructure(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        this.#startToken(true);
        return;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#values += 1;
        this.#depth += 1;
        if (this.#depth <= 2) this.#keys[this.#depth] = '';
        this.#tokenBytes = undefined;
        return;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#endValue();
        // Never below the outermost level: a sender of closing brackets alone would name as many levels as it likes.
        this.#depth = Math.max(0, this.#depth - 1);
        return;
      case COLON:
        this.#members += 1;
        if (this.#depth <= 2) this.#startValue(this.#text() ?? '');
        this.#tokenBytes = undefined;
        return;
      case COMMA:
        this.#values += 1;
        this.#endValue();
        return;
      default:
        if (byte > 0x20) this.#readLiteral(byte);
    }
  }

  #readLiteral(byte: number): void {
    if (this.#tokenBytes === undefined) this.#startToken(false);
    this.#keep(byte);
  }

  #startToken(isString: boolean): void {
    this.#tokenBytes = this.#depth <= 2 ? 0 : undefined;
    this.#tokenIsString = isString;
  }

  #keep(byte: number): void {
    if (this.#tokenBytes === undefined) return;
    if (this.#tokenBytes === MOST_TOKEN_BYTES) {
      this.#tokenBytes = undefined;
      return;
    }
    this.#token[this.#tokenBytes] = byte;
    this.#tokenBytes += 1;
  }

  /** The token's text when it is a string that was kept whole. */
  #text(): string | undefined {
    const value = this.#value();
    return typeof value === 'string' ? value : undefined;
  }

  #value(): unknown {
    if (this.#tokenBytes === undefined) return undefined;
    const text = this.#token.toString('utf8', 0, this.#tokenBytes);
    try {
      return JSON.parse(this.#tokenIsString ? `"${text}"` : text);
    } catch {
      return undefined;
    }
  }

  #startValue(key: string): void {
    this.#keys[this.#depth] = key;
    if (this.#depth !== 1) return;
    // Said twice, the second counts, and what the first held is not called.
    if (key === 'params') this.#toolName = undefined;
    if (key === 'result' || key === 'error') this.#isAnswer = true;
  }

  #endValue(): void {
    const [, outer, inner] = this.#keys;
    const value = this.#depth <= 2 ? this.#value() : undefined;
    this.#tokenBytes = undefined;
    if (this.#depth === 1 && outer === 'id') this.#id = toId(value);
    if (this.#depth === 1 && outer === 'method') this.#method = toText(value);
    if (this.#depth === 2 && outer === 'params' && inner === 'name') this.#toolName = toText(value);
  }
}

function toId(value: unknown): string | number | undefined {
  return typeof value === 'string' || Number.isSafeInteger(value) ? (value as string | number) : undefined;
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
