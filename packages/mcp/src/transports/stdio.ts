import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { silentLogger, type Origin, type StructuredLogger } from '@devs/core';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly logger?: StructuredLogger;
  /** Milliseconds that calls under way get once the input has ended; then they are cancelled. Default 2,000. */
  readonly graceMs?: number;
}

export interface RunningServer {
  /** Resolves when the client has gone and the last call is in the log. */
  readonly closed: Promise<void>;
  /** Stops taking calls, waits for those in flight, then resolves. */
  close(): Promise<void>;
}

/** Whoever started the process is at the other end of its pipes. */
const ORIGIN: Origin = Object.freeze({ principal: 'local', channel: 'stdio' });

/** Largest message in bytes. The SDK ends the connection on a larger one. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** Answers, in bytes, that may wait for a client that does not read. */
const MOST_WAITING = 1024 * 1024;
const GRACE_MS = 2_000;

/** Says when the SDK has closed it, which it does by itself on a message that is too large. */
class WatchedTransport extends StdioServerTransport {
  readonly #ended = Promise.withResolvers<void>();

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  override async close(): Promise<void> {
    this.#ended.resolve();
    await super.close();
  }
}

/** Serves MCP, both eras, over a pair of streams. The input's end is the end of the session. */
export function serveOverStdio(server: OrchestratorServer, options: StdioOptions): RunningServer {
  const { input, output, logger = silentLogger, graceMs = GRACE_MS } = options;
  const held = new PassThrough();
  const transport = new WatchedTransport(held, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  // A client that stops reading breaks the pipe; its calls are logged all the same.
  output.on('error', () => void transport.close());
  // The SDK listens once for each answer that waits; how many wait is bounded, by the calls at once.
  output.setMaxListeners(0);
  let waiting: Promise<void> | undefined;
  const ready = async () => {
    waiting ??= untilRead(output, transport.ended).finally(() => {
      waiting = undefined;
    });
    await waiting;
  };
  const connection = { origin: ORIGIN, ready };
  const handle = serveStdio(() => server.createProtocolServer(connection), {
    transport,
    onerror: (error) => logger.warn('MCP_TRANSPORT_ERROR', { error: error.message.slice(0, 500) }),
  });
  input.pipe(held, { end: false });
  const end = () => void endAfterCalls(held, server, graceMs);
  input.once('end', end).once('close', end).once('error', end);
  const closed = transport.ended.then(async () => {
    input.unpipe(held).destroy();
    await server.drain();
  });
  return {
    closed,
    close: async () => {
      server.stopTakingCalls();
      await Promise.race([server.drain(), transport.ended]);
      await handle.close();
      await transport.close();
      await closed;
    },
  };
}

/** The SDK cancels what runs when its input ends, so the end waits: a call that is asked for is answered. */
async function endAfterCalls(held: PassThrough, server: OrchestratorServer, graceMs: number): Promise<void> {
  while (held.readableLength > 0) await setImmediate();
  await setImmediate();
  const grace = new AbortController();
  const passed = setTimeout(graceMs, undefined, { signal: grace.signal }).catch(() => undefined);
  await Promise.race([server.drain(), passed]);
  grace.abort();
  held.end();
}

async function untilRead(output: Writable, ended: Promise<void>): Promise<void> {
  while (output.writableLength > MOST_WAITING && output.writable) {
    const stop = new AbortController();
    const drained = once(output, 'drain', { signal: stop.signal }).catch(() => undefined);
    const isOver = await Promise.race([drained.then(() => false), ended.then(() => true)]);
    stop.abort();
    if (isOver) return;
  }
}
