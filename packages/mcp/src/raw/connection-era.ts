import { isRecord } from '@devs/core';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  isInitializeRequest,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { ClientInfo } from '../client-info.ts';
import { INVALID_PARAMS, INVALID_REQUEST, type Objection, type RawRequest } from './read-message.ts';

/** Revisions without a handshake, in which every request says its version. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/** MCP 2026-07-28. */
const UNSUPPORTED_VERSION = -32_022;

export type Judgement =
  | { readonly kind: 'admitted'; readonly info?: ClientInfo }
  | { readonly kind: 'refused'; readonly objection: Objection };

const ADMITTED: Judgement = { kind: 'admitted' };

/**
 * Which generation of the protocol a stdio connection speaks. Its first message decides; what does not
 * fit later is refused here, since the SDK would serve it: a call before `initialize`, a version that
 * does not exist, a second handshake.
 */
export class ConnectionEra {
  #era: ClientInfo['era'] | undefined;
  #agreed: readonly string[] = [];
  #isGreeted = false;

  /** The least `_meta` that a request needs here: a refusal is answered in the form that the client reads. */
  get envelope(): object {
    if (this.#era !== 'modern') return {};
    return { [PROTOCOL_VERSION_META_KEY]: MODERN_VERSIONS[0], [CLIENT_CAPABILITIES_META_KEY]: {} };
  }

  get isDecided(): boolean {
    return this.#era !== undefined;
  }

  judge({ method, params }: RawRequest): Judgement {
    const meta = isRecord(params) && isRecord(params['_meta']) ? params['_meta'] : {};
    const version = meta[PROTOCOL_VERSION_META_KEY];
    if (version !== undefined) return this.#judgeModern(version, { method, meta });
    if (method === 'initialize') return this.#judgeInitialize(params);
    if (this.#era === 'legacy') return ADMITTED;
    if (this.#era === 'modern') return refused(INVALID_PARAMS, `Every request names its version in _meta["${PROTOCOL_VERSION_META_KEY}"].`);
    return refused(INVALID_REQUEST, 'The connection is not initialized: send "initialize" first.');
  }

  /** What the handshake agreed on. */
  agreedOn(version: string): void {
    this.#agreed = [version];
  }

  #judgeModern(version: unknown, { method, meta }: { readonly method: string; readonly meta: Record<string, unknown> }): Judgement {
    const requested = typeof version === 'string' ? version.slice(0, 100) : typeof version;
    // One connection, one generation: what is decided by the handshake is not changed by a later message.
    if (this.#era === 'legacy') return unsupported(requested, this.#agreed);
    if (typeof version !== 'string' || !MODERN_VERSIONS.includes(version)) return unsupported(requested, MODERN_VERSIONS);
    if (!isRecord(meta[CLIENT_CAPABILITIES_META_KEY])) {
      return refused(INVALID_PARAMS, `_meta["${CLIENT_CAPABILITIES_META_KEY}"] must be an object.`);
    }
    if (!isServedAsModern(method, meta)) return refused(INVALID_PARAMS, `_meta is not what revision ${version} asks for.`);
    // Asking what there is decides nothing: a client may still fall back to the handshake.
    if (method !== 'server/discover') this.#era = 'modern';
    return this.#greet(modernClientInfo(version, meta));
  }

  /** Once a connection, whatever is asked first and however often: what opens it must not be opened twice. */
  #greet(info: ClientInfo): Judgement {
    if (this.#isGreeted) return ADMITTED;
    this.#isGreeted = true;
    return { kind: 'admitted', info };
  }

  #judgeInitialize(params: unknown): Judgement {
    if (this.#era === 'legacy') return refused(INVALID_REQUEST, 'The connection is initialized already.');
    // The SDK names the versions that it serves on such a connection.
    if (this.#era === 'modern') return ADMITTED;
    const info = legacyClientInfo(params);
    if (info === undefined) {
      return refused(INVALID_PARAMS, '"initialize" needs protocolVersion, a string, capabilities as MCP defines them, and clientInfo with name and version.');
    }
    this.#era = 'legacy';
    return this.#greet(info);
  }
}

/** The SDK's own judgement: what it turned away would be open there and decided here. */
function isServedAsModern(method: string, meta: object): boolean {
  const body = { jsonrpc: '2.0', id: 0, method, params: { _meta: meta } };
  return classifyInboundRequest({ httpMethod: 'POST', body }).kind === 'modern';
}

function legacyClientInfo(params: unknown): ClientInfo | undefined {
  // By the SDK's schema: a handshake that it refuses has not taken place.
  const message = { method: 'initialize', params };
  if (!isInitializeRequest(message)) return undefined;
  const { protocolVersion, capabilities, clientInfo } = message.params;
  return { era: 'legacy', protocolVersion, capabilities: { ...capabilities }, clientInfo: { name: clientInfo.name, version: clientInfo.version } };
}

function modernClientInfo(protocolVersion: string, meta: Record<string, unknown>): ClientInfo {
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  const info = meta[CLIENT_INFO_META_KEY];
  const { name, version } = isRecord(info) ? info : {};
  return {
    era: 'modern',
    protocolVersion,
    capabilities: isRecord(capabilities) ? capabilities : {},
    clientInfo: { name: textOr(name, 'unknown'), version: textOr(version, '0') },
  };
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function unsupported(requested: string, supported: readonly string[]): Judgement {
  const message = 'The connection does not speak this protocol version.';
  return { kind: 'refused', objection: { code: UNSUPPORTED_VERSION, message, data: { supported, requested } } };
}

function refused(code: number, message: string): Judgement {
  return { kind: 'refused', objection: { code, message } };
}
