import { isRecord, ownValue, type CallNotice, type Continuation, type JsonObject, type Origin, type RegisteredTool } from '@devs/core';
import { CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY, type JSONRPCRequest, type ServerContext } from '@modelcontextprotocol/server';
import type { Agent } from '../protocol/agent-names.ts';
import type { Connection } from '../protocol/connection.ts';
import { countingOf } from '../protocol/client-info-of.ts';
import { isLoudEnough, type RelayClient } from './relay-client.ts';

/** A request of a client, as far as it goes on to servers behind devs. */
export interface RelayRequest {
  readonly id: string | number;
  readonly params: JsonObject;
  readonly client: RelayClient;
  readonly origin: Origin;
  /** Who calls, where the caller claims nothing; asked once of a request that becomes a call. */
  readonly agent: () => Agent;
  readonly signal: AbortSignal;
  /** What the client may see at all. */
  readonly admits: (tool: RegisteredTool) => boolean;
  /** Set when the client goes on with a call that was made before. */
  readonly continuation: Continuation | undefined;
  /** What it declared with this request, or when it came. */
  readonly capabilities: JsonObject;
  readonly meta: JsonObject | undefined;
  readonly onNotice: ((notice: CallNotice) => void) | undefined;
  readonly wantsProgress: boolean;
}

export interface Asker {
  readonly client: RelayClient;
  readonly connection: Connection;
  readonly agent: () => Agent;
}

export function toRelayRequest({ id, params }: Pick<JSONRPCRequest, 'id' | 'params'>, { mcpReq }: ServerContext, asker: Asker): RelayRequest {
  const { _meta: meta, ...own } = isRecord(params) ? (params as JsonObject) : {};
  const { client, connection, agent } = asker;
  const { origin, allows } = connection;
  return {
    id,
    params: own,
    client,
    origin,
    agent,
    signal: mcpReq.signal,
    admits: (tool) => client.instances.knows(tool) && allows?.(tool) !== false,
    continuation: continuationOf(mcpReq),
    capabilities: capabilitiesOf(mcpReq, asker),
    meta: metaOf(meta, mcpReq),
    onNotice: noticeHandler(mcpReq, client),
    wantsProgress: mcpReq._meta?.progressToken !== undefined,
  };
}

/** What goes on to the server. The SDK takes out what belongs to the protocol, how loud the server shall be among it. */
function metaOf(meta: unknown, { envelope }: McpRequest): JsonObject | undefined {
  const level = ownValue(envelope, LOG_LEVEL_META_KEY);
  const own = isRecord(meta) ? (meta as JsonObject) : undefined;
  return typeof level === 'string' ? { ...own, [LOG_LEVEL_META_KEY]: level } : own;
}

type McpRequest = ServerContext['mcpReq'];

function continuationOf({ inputResponses, requestState }: McpRequest): Continuation | undefined {
  const state = requestState<unknown>();
  if (inputResponses === undefined && state === undefined) return undefined;
  // One that is no text is no state of devs: it must not pass for none at all.
  return { inputResponses: (inputResponses ?? {}) as JsonObject, state: state === undefined || typeof state === 'string' ? state : '' };
}

function capabilitiesOf({ envelope }: McpRequest, { client, connection }: Asker): JsonObject {
  return countingOf(ownValue(envelope, CLIENT_CAPABILITIES_META_KEY) ?? client.info.capabilities, connection) as JsonObject;
}

/** Undefined where the client wants to hear nothing: then no server is asked for it either. */
function noticeHandler({ _meta: meta, envelope, notify }: McpRequest, client: RelayClient): RelayRequest['onNotice'] {
  const progressToken = meta?.progressToken;
  const level = ownValue(envelope, LOG_LEVEL_META_KEY);
  // A client of the older protocol says to the servers themselves how much it wants to hear.
  const wantsLog = client.info.era === 'legacy' || level !== undefined;
  if (progressToken === undefined && !wantsLog) return undefined;
  return (notice) => {
    if (notice.kind === 'progress') {
      const { kind: _kind, ...params } = notice;
      if (progressToken !== undefined) client.send(async () => notify({ method: 'notifications/progress', params: { progressToken, ...params } }));
      return;
    }
    const { kind: _kind, ...params } = notice;
    if (client.info.era === 'legacy' || isLoudEnough(notice.level, level)) client.send(async () => notify({ method: 'notifications/message', params }));
  };
}
