import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { silentLogger, type DevsError, type Origin, type StructuredLogger } from '@devs/core';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ClientInfo } from '../client-info.ts';
import type { OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';
import { LineTransport } from './line-transport.ts';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly logger?: StructuredLogger;
  /** Largest message in bytes. Default 33,554,432 (32 MiB). */
  readonly maxMessageBytes?: number;
  /** Milliseconds that calls under way get once the input has ended, or once nobody reads; then they are cancelled. Default 2,000. */
  readonly graceMs?: number;
  /**
   * Called once, with the client's first request, before anything is served; messages wait until it resolves. The key
   * is what the connection's client is known by.
   * If it rejects, what was asked is answered with the error's sentence, and the connection closes.
   */
  readonly opening?: (info: ClientInfo, key: object) => Promise<void>;
}

export interface RunningServer {
  /** Resolves when the client has gone and the last call is in the log. */
  readonly closed: Promise<void>;
  /** Stops taking calls, waits for those in flight while their answers are read, then resolves. */
  close(): Promise<void>;
}

/** Whoever started the process is at the other end of its pipes. */
const ORIGIN: Origin = Object.freeze({ principal: 'local', channel: 'stdio' });

const MAX_MESSAGE_BYTES = 33_554_432;
const GRACE_MS = 2_000;

/** Serves MCP, both eras, over a pair of streams. The input's end is the end of the session. */
export function serveOverStdio(server: OrchestratorServer, options: StdioOptions): RunningServer {
  const { input, output, logger = silentLogger, maxMessageBytes = MAX_MESSAGE_BYTES, graceMs = GRACE_MS, opening } = options;
  const key = {};
  const record = async (params: unknown, refusal: DevsError) => server.recordRefusal(params, refusal, { origin: ORIGIN, key });
  const greet = opening === undefined ? undefined : async (info: ClientInfo) => opening(info, key);
  const watch = (params: unknown) => server.watchStream(params, { origin: ORIGIN, key });
  const transport = new LineTransport({ input, output, maxMessageBytes, logger, record, watch, opening: greet });
  const connection = { origin: ORIGIN, key, arrivals: transport.arrivals, ready: async () => transport.untilRead() };
  const handle = serveStdio(() => server.createProtocolServer(connection), {
    transport,
    onerror: (error) => logger.warn('MCP_TRANSPORT_ERROR', { error: error.message.slice(0, 500) }),
  });
  void transport.inputEnded.then(async () => endAfterCalls(transport, graceMs));
  const closed = transport.ended.then(async () => {
    input.destroy();
    await server.drain();
    await server.endClient(connection);
  });
  return {
    closed,
    close: async () => {
      server.stopTakingCalls();
      // Calls wait for a client to read; one that never does must not keep the server from stopping.
      await Promise.race([server.drain(), transport.untilStuck(graceMs)]);
      await handle.close();
      await transport.close();
      await closed;
    },
  };
}

/** The SDK cancels what runs when its transport closes, so that waits: a call that is asked for is answered. */
async function endAfterCalls(transport: LineTransport, graceMs: number): Promise<void> {
  const grace = new AbortController();
  const passed = setTimeout(graceMs, undefined, { signal: grace.signal }).catch(() => undefined);
  await Promise.race([transport.idle(), passed]);
  grace.abort();
  await transport.close();
}
