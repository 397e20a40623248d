import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { text as readAll } from 'node:stream/consumers';

export interface HttpTestClientOptions {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly tokenFile: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** A devs that listens over HTTP, and whoever knocks at it. */
export class HttpTestClient implements AsyncDisposable {
  readonly port: number;
  readonly token: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, token: string) {
    this.#child = child;
    this.port = port;
    this.token = token;
  }

  static async open({ args, env, cwd, tokenFile }: HttpTestClientOptions): Promise<HttpTestClient> {
    const child = spawn(process.execPath, args, { env, cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    const port = await portOf(child);
    return new HttpTestClient(child, port, (await readFile(tokenFile, 'utf8')).trim());
  }

  async post(body: string, headers: OutgoingHttpHeaders): Promise<HttpAnswer> {
    const accept = 'application/json, text/event-stream';
    const always = { 'content-type': 'application/json', accept };
    const sent = request({ port: this.port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers: { ...always, ...headers } });
    const answered = Promise.withResolvers<IncomingMessage>();
    // A body that is too large is not read to its end; whoever has answered already has said why.
    sent.on('response', answered.resolve).on('error', answered.reject).end(body);
    const response = await answered.promise;
    return { status: response.statusCode ?? 0, body: await readAll(response) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }
}

/** The port that it says it listens on. Throws what it said when it ends instead. */
async function portOf(child: ChildProcess): Promise<number> {
  let said = '';
  for await (const chunk of child.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(chunk);
    const port = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(said)?.[1];
    if (port === undefined) continue;
    // Nobody reads on, and a full pipe must not hold it up.
    child.stderr?.resume();
    return Number(port);
  }
  throw new Error(`it does not listen: ${said.slice(0, 200)}`);
}
