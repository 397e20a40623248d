import type { JsonObject, LogLevel, RegisteredTool } from '@devs/core';
import type { BehindServer } from '../auth/scope.ts';
import type { ClientInfo } from '../client-info.ts';
import type { ClientSide, ServerInfo } from '../protocol/upstream.ts';

/** Which server answers for a name of the client's, and what that server calls it. */
export interface Routed {
  readonly server: string;
  readonly ownName: string;
}

/** One page of a list, cleaned. */
export interface ListPage {
  readonly items: readonly JsonObject[];
  readonly nextCursor: string | undefined;
}

export interface AskedPage {
  readonly cursor: string | undefined;
  readonly admits: (server: string) => boolean;
}

export type ListKind = 'resources' | 'templates' | 'prompts';

/** The servers behind devs, as one client has them. What the gate is handed as `ToolCallRequest.session`. */
export interface UpstreamInstances {
  /** Random: a state that is given to one client is bound to it. */
  readonly id: string;
  /** Resolves when the servers have listed what they offer, or have had their time. Never rejects for a server's sake. */
  ready(signal: AbortSignal): Promise<void>;
  /** The same for a list of all: those that take longer than a list may wait are told of when they come. */
  readyToList(signal: AbortSignal): Promise<void>;
  /** Resolves when this server is there, and has listed its tools. Rejects with why it is not. */
  require(server: string, signal: AbortSignal): Promise<ServerInfo>;
  /** What servers that are there say of themselves, by their names. Not cleaned. */
  readonly instructions: ReadonlyMap<string, string>;
  /** False for a tool of a server that does not offer it to this client. */
  offers(tool: RegisteredTool): boolean;
  /** Where its tools stand in a list: those of devs first, then those of the servers in the order of the configuration. */
  positionOf(tool: RegisteredTool): number;
  /** Also true for what it may call and will be refused, for a reason that it is told. */
  knows(tool: RegisteredTool): boolean;
  /** Of the servers that are admitted. Throws `MESSAGE_REFUSED` for a cursor that is none. */
  list(kind: ListKind, asked: AskedPage, signal: AbortSignal): Promise<ListPage>;
  routeUri(uri: string, signal: AbortSignal): Promise<Routed | undefined>;
  routePrompt(name: string, signal: AbortSignal): Promise<Routed | undefined>;
  /** Throws `RESOURCE_NOT_FOUND`. */
  subscribe(uri: string, signal: AbortSignal): Promise<void>;
  unsubscribe(uri: string, signal: AbortSignal): Promise<void>;
  /** For all servers, also those that start later. */
  setLogLevel(level: LogLevel): void;
  /** A notification of the client's to all servers. */
  notify(method: string, params: JsonObject): void;
  end(): Promise<void>;
}

/** What of the servers behind devs is there for one client. */
export interface Reach {
  /** False for servers that are not this client's: they are not started for it. Default: all are. */
  readonly serves?: ((server: BehindServer) => boolean) | undefined;
  /** False for servers that it may ask nothing: what they say of themselves is not for it. Default: it hears all. */
  readonly hears?: ((server: string) => boolean) | undefined;
}

/** Everything that is behind devs. */
export interface InstanceSource {
  open(client: ClientSide, reach?: Reach): UpstreamInstances;
}

export type { ClientInfo, ClientSide };
