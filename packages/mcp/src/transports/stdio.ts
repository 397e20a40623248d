import type { Readable, Writable } from 'node:stream';
import { silentLogger, type Origin, type StructuredLogger } from '@devs/core';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly logger?: StructuredLogger;
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

/** Serves MCP, both eras, over a pair of streams. The input's end is the end of the session. */
export function serveOverStdio(server: OrchestratorServer, options: StdioOptions): RunningServer {
  const logger = options.logger ?? silentLogger;
  const transport = new StdioServerTransport(options.input, options.output, { maxBufferSize: MAX_MESSAGE_BYTES });
  const ended = Promise.withResolvers<void>();
  options.input.once('end', ended.resolve).once('close', ended.resolve).once('error', ended.resolve);
  // A client that stops reading breaks the pipe; its calls are logged all the same.
  options.output.on('error', ended.resolve);
  const handle = serveStdio(() => server.createProtocolServer(ORIGIN), {
    transport,
    onerror: (error) => logger.warn('MCP_TRANSPORT_ERROR', { error: error.message }),
  });
  const closed = ended.promise.then(() => server.drain());
  return {
    closed,
    close: async () => {
      await server.drain();
      await handle.close();
      ended.resolve();
      await closed;
    },
  };
}
