import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DevsError, StructuredLogger } from '@devs/core';
import type { Principal } from '../auth/principals.ts';
import type { OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';
import type { Connection } from '../protocol/connection.ts';
import type { HttpLimits } from './limits.ts';
import type { ModernHandlers } from './modern-handlers.ts';
import type { ResponseWriterOptions } from './response-writer.ts';
import type { Sessions } from './sessions.ts';

/** What the exchanges of one server share. */
export interface ExchangeContext {
  readonly server: OrchestratorServer;
  readonly limits: HttpLimits;
  readonly logger: StructuredLogger;
  /** What answers go out by; undefined for those to nobody that is known. */
  readonly writerOf: (principal: Principal | undefined) => ResponseWriterOptions;
  readonly sessions: Sessions;
  readonly handlers: ModernHandlers;
  /** The input schema of a tool as this client is shown it; undefined for what it is not shown. */
  readonly schemaOf: (tool: string, connection: Connection) => unknown;
}

/** One HTTP request, and who sent it. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
}

/** What the SDK is handed of a message. */
export interface Handed {
  /** It, or what stands in its place. */
  readonly message: object;
  /** Set when the raw message was found wanting. */
  readonly refusal: DevsError | undefined;
  /** Size of the message. */
  readonly bytes: number;
}
