import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isRecord } from '@devs/core';

export interface LineClientOptions {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

const PATIENCE_MS = 15_000;

/** A client that sends whatever bytes an attacker likes, one line at a time, to a devs of its own. */
export class LineClient implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #answers: unknown[] = [];
  #heard = Promise.withResolvers<void>();

  constructor({ args, env, cwd }: LineClientOptions) {
    this.#child = spawn(process.execPath, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    // It may end before it has read all: that is then told by the answer that is missing.
    this.#child.stdin?.on('error', () => undefined);
    if (this.#child.stdout === null) throw new Error('the child has no standard output');
    const lines = createInterface({ input: this.#child.stdout });
    lines.on('line', (line) => this.#hear(line)).once('close', () => this.#hear(undefined));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends the lines and resolves with as many answers; with fewer when the server ends or says no more. */
  async ask(lines: readonly string[], count = lines.length): Promise<unknown[]> {
    for (const line of lines) this.#child.stdin?.write(`${line}\n`);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const tired = once(patience, 'abort');
    while (this.#answers.length < count && !patience.aborted && this.#child.stdout?.readableEnded !== true) {
      await Promise.race([this.#heard.promise, tired]);
    }
    return this.#answers.splice(0, count);
  }

  async initialize(): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'devs demo', version: '1' } };
    await this.ask([JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params })]);
    await this.ask([JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })], 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  #hear(line: string | undefined): void {
    const message: unknown = line === undefined ? undefined : JSON.parse(line);
    // Notifications are answers to nothing.
    if (isRecord(message) && Object.hasOwn(message, 'id')) this.#answers.push(message);
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }
}
