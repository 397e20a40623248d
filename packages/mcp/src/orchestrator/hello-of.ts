import { isRecord, ownValue } from '@devs/core';
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { ClientHello } from '../client-hello.ts';

/** What the client has said of itself: with this request, or when it came. */
export function helloOf(server: Server, { mcpReq: { envelope } }: ServerContext): ClientHello {
  const modern = modernHello(envelope);
  if (modern !== undefined) return modern;
  const said = { capabilities: server.getClientCapabilities(), clientInfo: server.getClientVersion() };
  return toHello('legacy', server.getNegotiatedProtocolVersion() ?? '2025-03-26', said);
}

/** What a request of the newer protocol says of its client; undefined for any other. */
export function helloIn(params: unknown): ClientHello | undefined {
  return modernHello(isRecord(params) ? params['_meta'] : undefined);
}

function modernHello(meta: unknown): ClientHello | undefined {
  const version = ownValue(meta, PROTOCOL_VERSION_META_KEY);
  if (typeof version !== 'string') return undefined;
  const capabilities = ownValue(meta, CLIENT_CAPABILITIES_META_KEY);
  return toHello('modern', version, { capabilities, clientInfo: ownValue(meta, CLIENT_INFO_META_KEY) });
}

interface Said {
  readonly capabilities: unknown;
  readonly clientInfo: unknown;
}

function toHello(era: ClientHello['era'], protocolVersion: string, { capabilities, clientInfo }: Said): ClientHello {
  const name = ownValue(clientInfo, 'name');
  const version = ownValue(clientInfo, 'version');
  return {
    era,
    protocolVersion,
    capabilities: isRecord(capabilities) ? capabilities : {},
    clientInfo: { name: typeof name === 'string' ? name : 'unknown', version: typeof version === 'string' ? version : '0' },
  };
}
