import { isRecord, ownValue } from '@devs/core';
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { ClientInfo } from '../client-info.ts';
import type { Connection } from './connection.ts';

type Person = Pick<Connection, 'interactive'>;

/** What the client has said of itself: with this request, or when it came. */
export function clientInfoOf(server: Server, { mcpReq: { envelope } }: ServerContext, person: Person): ClientInfo {
  const modern = modernClientInfo(envelope, person);
  if (modern !== undefined) return modern;
  const said = { capabilities: server.getClientCapabilities(), clientInfo: server.getClientVersion() };
  return toClientInfo('legacy', { protocolVersion: server.getNegotiatedProtocolVersion() ?? '2025-03-26', ...said }, person);
}

/** The protocol server that a request came to, and what it has read of it. */
export interface ReadRequest {
  readonly server: Server;
  readonly context: Pick<ServerContext, 'mcpReq'>;
}

/** What the client calls itself, as it wrote it; undefined: nothing. @param read absent of a request that came to no protocol server */
export function clientNameOf(params: unknown, read: ReadRequest | undefined): unknown {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  // The SDK takes it out of the parameters.
  const info = ownValue(meta, CLIENT_INFO_META_KEY) ?? ownValue(read?.context.mcpReq.envelope, CLIENT_INFO_META_KEY);
  return info === undefined ? read?.server.getClientVersion()?.name : ownValue(info, 'name');
}

/** What a request of the newer protocol says of its client; undefined for any other. */
export function clientInfoIn(params: unknown, person: Person): ClientInfo | undefined {
  return modernClientInfo(isRecord(params) ? params['_meta'] : undefined, person);
}

/**
 * Of what a client offers, what counts. Where the operator has not said that a person sits behind it, a program would answer
 * in the place of one: servers are told that nobody can be asked.
 */
export function countingOf(capabilities: unknown, { interactive = true }: Person): ClientInfo['capabilities'] {
  if (!isRecord(capabilities)) return {};
  if (interactive) return capabilities;
  const { elicitation: _elicitation, ...others } = capabilities;
  return others;
}

function modernClientInfo(meta: unknown, person: Person): ClientInfo | undefined {
  const version = ownValue(meta, PROTOCOL_VERSION_META_KEY);
  if (typeof version !== 'string') return undefined;
  const capabilities = ownValue(meta, CLIENT_CAPABILITIES_META_KEY);
  return toClientInfo('modern', { protocolVersion: version, capabilities, clientInfo: ownValue(meta, CLIENT_INFO_META_KEY) }, person);
}

interface Said {
  readonly protocolVersion: string;
  readonly capabilities: unknown;
  readonly clientInfo: unknown;
}

function toClientInfo(era: ClientInfo['era'], { protocolVersion, capabilities, clientInfo }: Said, person: Person): ClientInfo {
  const name = ownValue(clientInfo, 'name');
  const version = ownValue(clientInfo, 'version');
  return {
    era,
    protocolVersion,
    capabilities: countingOf(capabilities, person),
    clientInfo: { name: typeof name === 'string' ? name : 'unknown', version: typeof version === 'string' ? version : '0' },
  };
}
