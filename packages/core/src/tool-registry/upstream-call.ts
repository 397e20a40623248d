import type { Json, JsonObject } from '../json.ts';
import type { Enforcement } from './confinement.ts';

/** Word that a server behind devs gives of a call while it works on it. */
export type CallNotice =
  | { readonly kind: 'progress'; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly logger?: string; readonly data: Json };

/** RFC 5424, as MCP writes them, mildest first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a call goes on with whose server has asked the client something. */
export interface Continuation {
  /** By the keys of the questions: the client's words. */
  readonly inputResponses: JsonObject;
  /** As the client brings it back. Whoever has sealed it opens it. */
  readonly state: string | undefined;
}

/** What a call of another server's tool is handed, beside its signal. */
export interface UpstreamCall {
  readonly callId: string;
  /** Whose servers it reaches, as the edge has it. Opaque to the gate; absent: nobody has said. */
  readonly session: object | undefined;
  readonly continuation: Continuation | undefined;
  /** `_meta` of the client's request, without what belongs to the protocol or to devs. */
  readonly meta: JsonObject | undefined;
  /**
   * Tells the client; undefined where it wants to hear nothing. Nothing of it is trusted: it is checked and cleaned on its
   * way, and dropped once the call is over.
   */
  readonly notify: ((notice: unknown) => void) | undefined;
  /** False: the server need not tell of progress. */
  readonly wantsProgress: boolean;
  /** To be told what holds the server, before it is asked. */
  readonly enforced: (enforcement: Enforcement) => void;
}
