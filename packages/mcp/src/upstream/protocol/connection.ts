import type { JsonObject } from '@devs/core';
import type { ServerInfo, UpstreamAnswer, UpstreamRequest } from '../../protocol/upstream.ts';

/** A server that has been greeted, for as long as it is there. */
export interface Connection {
  readonly info: ServerInfo;
  /** Resolves when it is gone and all that was asked has its end. */
  readonly closed: Promise<void>;
  request(request: UpstreamRequest): Promise<UpstreamAnswer>;
  notify(method: string, params: JsonObject): void;
  end(): Promise<void>;
}
