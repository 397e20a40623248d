import type { JsonObject } from '@devs/core';
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import type { ClientInfo } from '../../client-info.ts';
import { MODERN_VERSIONS } from '../../raw/connection-era.ts';

/** The revision without a handshake that devs speaks to servers. */
export const MODERN_VERSION = MODERN_VERSIONS[0] ?? '';

/** What every request of the newer protocol says of who asks: the client, as it declared itself. */
export function envelopeFor({ capabilities, clientInfo }: ClientInfo): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: MODERN_VERSION,
    [CLIENT_INFO_META_KEY]: { name: clientInfo.name, version: clientInfo.version },
    // It came as JSON.
    [CLIENT_CAPABILITIES_META_KEY]: capabilities as JsonObject,
  };
}
