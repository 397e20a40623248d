import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { isRecord } from '@devs/core';

/** A call as it was asked for. */
export interface Asked {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A whole line that the server answered with. */
export interface Answered extends Asked {
  readonly isError: boolean;
  readonly receipt: { readonly seq: number; readonly leaf: string } | undefined;
  /** All of it, as the client got it. */
  readonly all: string;
}

export interface LoadOptions {
  /** Calls that are open at any time. */
  readonly open: number;
  /** The call of a number, from 0; undefined: there is none any more. */
  readonly next: (number: number) => Asked | undefined;
}

/** What the client sends before its first call, and the id of the answer that it waits for. */
const INITIALIZE_ID = 'initialize';
const PARAMS = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'load', version: '1' } };
const INITIALIZE = { jsonrpc: '2.0', id: INITIALIZE_ID, method: 'initialize', params: PARAMS };
const READY = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** A client that keeps many calls open at a server on standard input and output, until one of them goes away. */
export class Load implements AsyncDisposable {
  readonly asked: Asked[] = [];
  /** In the order in which they came. */
  readonly answers: Answered[] = [];
  /** Standard output has come to its end: nothing else will be answered. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: LoadOptions;
  readonly #watchers = new Set<() => void>();
  #hasEnded = false;

  /** @param child a server that has just been started */
  constructor(child: ChildProcessWithoutNullStreams, options: LoadOptions) {
    this.#child = child;
    this.#options = options;
    // It may be killed while a call is being sent.
    child.stdin.on('error', () => undefined);
    child.stderr.resume();
    this.ended = Promise.all([this.#read(), once(child, 'close')]).then(() => this.#end());
    this.#send(INITIALIZE);
  }

  /** Resolves when so many calls are answered, or none will be any more. */
  async untilAnswered(count: number): Promise<void> {
    while (!this.#hasEnded && this.answers.length < count) await new Promise<void>((resolve) => this.#watchers.add(resolve));
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** Asks nothing more, and waits until all that was asked is answered and the server has ended by itself. */
  async finish(): Promise<void> {
    this.#child.stdin.end();
    await this.ended;
  }

  /** One that a failed test leaves running would keep the test run alive. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #read(): Promise<void> {
    let rest = '';
    // Line by line, but the last: one that a kill has cut off has not reached anybody.
    for await (const chunk of this.#child.stdout.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#receive(line);
    }
  }

  #receive(line: string): void {
    const message: unknown = JSON.parse(line);
    if (!isRecord(message) || message['id'] === undefined) return;
    if (message['id'] === INITIALIZE_ID) this.#begin();
    else this.#take(Number(message['id']), line);
    this.#wake();
  }

  #begin(): void {
    this.#send(READY);
    for (let open = 0; open < this.#options.open; open += 1) this.#ask();
  }

  #take(id: number, all: string): void {
    const asked = this.asked[id];
    if (asked === undefined) throw new Error(`nobody asked for what came: ${all}`);
    const { result } = JSON.parse(all);
    this.answers.push({ ...asked, isError: result?.isError !== undefined || result === undefined, receipt: result?._meta?.['devs/receipt'], all });
    this.#ask();
  }

  #ask(): void {
    const asked = this.#options.next(this.asked.length);
    if (asked === undefined) return;
    const id = this.asked.push(asked) - 1;
    this.#send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: asked.name, arguments: asked.args } });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}
