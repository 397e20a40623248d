import type { Enforcement } from '@devs/core';
import type { ChildExit, ServerInfo } from '../../protocol/upstream.ts';
import type { Connection } from './connection.ts';
import type { EraMemory } from './era-memory.ts';
import type { GreetingOptions } from './greeting.ts';
import type { Peer, PeerOptions } from './peer.ts';
import type { Timers } from './timers.ts';
import type { RequestHeaders } from './wire.ts';

/** One try to greet a server. */
export interface Greeting {
  readonly openWire: PeerOptions['openWire'];
  readonly greet: (options: GreetingOptions) => Promise<ServerInfo>;
  /** Of HTTP alone. */
  readonly headers: RequestHeaders | undefined;
  readonly signal: AbortSignal;
  /** Lets go of what the try has opened. Gives what it failed for. */
  readonly giveUp: (peer: Peer, cause: unknown) => Promise<unknown>;
}

/** What a transport greets its server with. */
export interface Greeter {
  readonly timers: Timers;
  readonly eras: EraMemory;
  /** Milliseconds that the server gets to start and to be greeted: the signal of `open` aborts then. */
  readonly startTimeoutMs: number;
  /** Largest message from the server, in bytes. */
  readonly maxMessageBytes: number;
  /** @param problem in devs's words */
  onViolation(problem: string): void;
  greet(greeting: Greeting): Promise<Connection>;
}

/** One way to reach a server: the pipes of a process that devs starts, or Streamable HTTP. */
export interface UpstreamTransport {
  /** What holds the process that is there. Undefined: nothing, or there is none of devs's. */
  readonly enforcement: Enforcement | undefined;
  /** How the last process ended. Undefined: there was none of devs's. */
  readonly lastExit: ChildExit | undefined;
  /** Reaches and greets the server. Rejects with `DevsError`; what it has started is gone then. */
  open(signal: AbortSignal): Promise<Connection>;
  /** How the last connection ended, for the operator; empty where that says nothing. */
  describeEnd(): string;
}

export type CreateTransport = (greeter: Greeter) => UpstreamTransport;
