import type { Continuation, Enforcement, JsonObject, Question } from '@devs/core';
import type { ClientInfo } from '../client-info.ts';

/** What a server said of itself when it was greeted. */
export interface ServerInfo {
  readonly era: 'legacy' | 'modern';
  readonly protocolVersion: string;
  /** As it was sent; only `name` and `version` are known to be texts. */
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

/** One request to a server behind devs. */
export interface UpstreamRequest {
  readonly method: string;
  /** Without what belongs to the protocol: the connection adds its own `_meta` members. */
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  /** Told, raw, what the server says of the request: see `CallNotice`. */
  readonly onNotice?: (notice: unknown) => void;
  /** Whether the server is asked for progress, where somebody hears of it. Default true. */
  readonly wantsProgress?: boolean;
  /** The request was made before; the server has asked the client something. */
  readonly continuation?: Continuation;
}

/** Dirty: only the gate may show it to anybody. */
export type UpstreamAnswer =
  | { readonly kind: 'complete'; readonly result: unknown }
  /** `requestState` is the server's word, or that of the connection that holds the call; to be sealed before it leaves devs. */
  | { readonly kind: 'input_required'; readonly inputRequests: unknown; readonly requestState: string | undefined };

/** A server answered with a protocol error. Its words are its own: dirty. */
export class UpstreamError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'UpstreamError';
    this.code = code;
    this.data = data;
  }
}

/** How the process of a server ended, or why there never was one. */
export type ChildExit =
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not found' | 'not executable' | 'not started'; readonly cause: unknown };

/** One server behind devs, as one client has it. The same whichever transport and era it speaks. */
export interface Upstream {
  /** As the configuration names it. */
  readonly name: string;
  /** Undefined while the server is not there. */
  readonly info: ServerInfo | undefined;
  /** What holds the process that is there. Absent: nothing, or there is none of devs's. */
  readonly enforcement?: Enforcement | undefined;
  /** How its last process ended. Absent: there was none of devs's. */
  readonly lastExit?: ChildExit | undefined;
  /** Starts or reaches the server, unless it is there. Rejects with `UPSTREAM_UNAVAILABLE` and the reason. */
  ready(signal: AbortSignal): Promise<ServerInfo>;
  /** Rejects with `UpstreamError`, or `DevsError` of the codes `UPSTREAM_*` and `CALL_CANCELLED`. Starts the server where it is not there. */
  request(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** A notification of the client's (`notifications/roots/list_changed`). Lost where the server is not there. */
  notify(method: string, params: JsonObject): void;
  /** Ends it for good, its processes too. */
  end(): Promise<void>;
}

/** What a server tells of itself, outside of a request. */
export type UpstreamEvent =
  | { readonly kind: 'tools-changed' | 'prompts-changed' | 'resources-changed' }
  | { readonly kind: 'resource-updated'; readonly uri: string }
  /** Raw: see `CallNotice`, kind `log`. `server`: its name in the configuration, once the pool has it. */
  | { readonly kind: 'log'; readonly notice: unknown; readonly server?: string }
  /** It is gone; what it is asked next starts it again. */
  | { readonly kind: 'lost' };

/** What a connection to a server needs of the client that it is for. */
export interface ClientSide {
  /** Declared to the server as the client declared it. */
  readonly info: ClientInfo;
  readonly onEvent: (event: UpstreamEvent) => void;
  /**
   * A question of a server of the older protocol that belongs to no request (`roots/list`). Rejects where the client
   * cannot be asked. The question is dirty, and so is the answer to whoever logs it.
   */
  readonly ask: (question: Question, signal: AbortSignal) => Promise<JsonObject>;
}
