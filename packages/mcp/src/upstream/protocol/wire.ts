import type { DevsError, JsonObject } from '@devs/core';
import type { EnvelopePeek } from '../../raw/envelope-peek.ts';

/** A request as it goes to a server. */
export interface WireRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  /** Of HTTP alone. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a server wants of a request in headers as well. Of HTTP alone. */
export interface RequestHeaders {
  /** A list of tools without those that must not be called. */
  review(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** @param params of a `tools/call` */
  headersFor(params: JsonObject): Readonly<Record<string, string>> | undefined;
}

/** A way to a server that is open: the pipes of a process, or a URL. Carries messages and judges none. */
export interface Wire {
  /** Resolves when nothing can come from the server any more. */
  readonly closed: Promise<void>;
  /** Throws `DevsError` when it cannot be taken to the server; what fails later is told to the listener. */
  request(request: WireRequest): void;
  /** A notification, or the answer to a server-to-client request. Lost where it cannot be taken there. */
  send(message: JsonObject): void;
  /** Nobody waits for the answer any more. @param isTold whether the server is to be told in so many words */
  abandon(id: number, isTold: boolean): void;
  /** Its answer has come, on whichever way. */
  answered(id: number): void;
  /** What the handshake agreed on. */
  agreedOn(protocolVersion: string): void;
  end(): Promise<void>;
}

export interface Arrival {
  /** The request whose stream it came on; undefined where all share one. */
  readonly about: number | undefined;
  readonly bytes: number;
}

/** Whoever is told what comes over a wire. */
export interface WireListener {
  /** Parsed JSON, nothing of it checked. */
  onMessage(message: unknown, arrival: Arrival): void;
  /** A message that was not kept. */
  onOversized(peek: EnvelopePeek, problem: string): void;
  /** No answer will come. */
  onFailure(id: number, cause: DevsError): void;
  /** @param problem in devs's words */
  onViolation(problem: string): void;
}
