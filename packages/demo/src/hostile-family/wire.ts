import { once } from 'node:events';

const MEBIBYTE = 1024 * 1024;
const CACHED = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read', 'server/discover']);

/** A message, or a part of one, as whoever writes it likes. */
export type Members = Readonly<Record<string, unknown>>;

/** What a request to the server says. */
export interface Asked {
  readonly id: number | string;
  readonly method: string;
  readonly params: Members;
  readonly isModern: boolean;
}

/** The protocol by hand, so that it can be broken. */
export class Wire {
  readonly #output: NodeJS.WriteStream;
  readonly #waiting = new Map<string, (reply: Members) => void>();
  #asked = 0;

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
    // Whoever reads may be gone: that is then the end of the flood.
    output.on('error', () => undefined);
  }

  send(message: Members): void {
    this.line(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  line(text: string): void {
    this.#output.write(`${text}\n`);
  }

  raw(text: string): void {
    this.#output.write(text);
  }

  answer(id: unknown, result: unknown): void {
    this.send({ id, result });
  }

  /** As an honest server of the era answers. */
  complete({ id, method, isModern }: Asked, result: Members): void {
    const cached = CACHED.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {};
    this.answer(id, isModern ? { resultType: 'complete', ...cached, ...result } : result);
  }

  notify(method: string, params: Members): void {
    this.send({ method, params });
  }

  /** A request to the client, as servers of the older protocol make them. Resolves with the whole reply. */
  async ask(method: string, params: Members): Promise<Members> {
    this.#asked += 1;
    const id = `hostile-${this.#asked}`;
    const { promise, resolve } = Promise.withResolvers<Members>();
    this.#waiting.set(id, resolve);
    this.send({ id, method, params });
    return promise;
  }

  hear(id: unknown, reply: Members): void {
    const resolve = this.#waiting.get(String(id));
    this.#waiting.delete(String(id));
    resolve?.(reply);
  }

  /** The same text many times, no faster than it is read. Stops when nobody reads any more. */
  async flood(text: string, times: number): Promise<void> {
    const each = Math.max(1, Math.floor(MEBIBYTE / text.length));
    for (let written = 0; written < times && this.#output.writable; written += each) {
      if (!this.#output.write(text.repeat(Math.min(each, times - written)))) await this.#drained();
    }
  }

  /** Writes what is left, then ends the process. */
  die(code: number): void {
    this.#output.end(() => process.exit(code));
  }

  end(): void {
    this.#output.end();
  }

  async #drained(): Promise<void> {
    await Promise.race([once(this.#output, 'drain'), once(this.#output, 'close')]).catch(() => undefined);
  }
}
