import { DevsError, isRecord, type JsonObject } from '@devs/core';
import { SERVER_INFO_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import type { ClientInfo } from '../../client-info.ts';
import type { EraMemory } from './era-memory.ts';
import { envelopeFor, MODERN_VERSION } from './envelope.ts';
import type { Peer } from './peer.ts';
import type { Timers } from './timers.ts';
import { UpstreamError, type ServerInfo } from '../../protocol/upstream.ts';

export interface GreetingOptions {
  readonly peer: Peer;
  readonly client: ClientInfo;
  readonly eras: EraMemory;
  readonly timers: Timers;
  /** Aborts when the start takes too long. */
  readonly signal: AbortSignal;
}

/** The server took the question which protocol it speaks amiss; another process of it is not to be asked. */
export class Confused extends Error {}

/** MCP 2026-07-28. */
const UNSUPPORTED_VERSION = -32_022;
const ASKED_AMISS = 'The server cannot be greeted after it was asked what it speaks.';
/** Milliseconds a server may take to say which protocol it speaks before it is greeted in the older one, too. */
const PROBE_MS = 5_000;

/** Greets a server in the protocol of its client where it can. Rejects with `Confused` when it must be started anew for it. */
export async function greet(options: GreetingOptions): Promise<ServerInfo> {
  const isModernFirst = options.eras.firstFor(options.client.era) === 'modern';
  return agree(options, isModernFirst ? greetModern : greetLegacy);
}

/** Greets the second process of a server that took the first question amiss: by the handshake. */
export async function greetAgain(options: GreetingOptions): Promise<ServerInfo> {
  return agree(options, greetLegacy);
}

async function agree(options: GreetingOptions, greeting: (options: GreetingOptions) => Promise<ServerInfo>): Promise<ServerInfo> {
  const info = await greeting(options);
  options.peer.agreedOn(info.protocolVersion, info.era);
  if (info.era === 'legacy') options.peer.tell('notifications/initialized', {});
  return info;
}

/** The handshake first; a server that refuses it may speak the newer protocol alone. */
async function greetLegacy(options: GreetingOptions): Promise<ServerInfo> {
  const { eras } = options;
  try {
    const info = await initialize(options);
    eras.learn('legacy', true);
    return info;
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause;
    const info = await discover(options).catch(() => undefined);
    if (info === undefined) throw cause;
    eras.learn('legacy', false);
    eras.learn('modern', true);
    return info;
  }
}

/** The handshake follows any answer that is not one of the newer protocol, and silence. */
async function greetModern(options: GreetingOptions): Promise<ServerInfo> {
  const { eras, timers } = options;
  let late: ServerInfo | undefined;
  const probe = discover(options).then(
    (info) => {
      late = info;
      return info;
    },
    (cause: unknown) => ({ cause }),
  );
  const stop = new AbortController();
  const first = await Promise.race([probe, timers.sleep(PROBE_MS, stop.signal).then(() => undefined)]);
  stop.abort();
  if (first !== undefined && 'cause' in first) {
    if (isFinal(first.cause)) throw first.cause;
    if (DevsError.is(first.cause) && first.cause.code === 'UPSTREAM_LOST') throw new Confused(ASKED_AMISS, { cause: first.cause });
  }
  if (first !== undefined && !('cause' in first)) {
    eras.learn('modern', true);
    return first;
  }
  try {
    const info = await initialize(options);
    // One that was only slow speaks both; what it said came too late for this connection alone.
    eras.learn('modern', late !== undefined);
    eras.learn('legacy', true);
    return info;
  } catch (cause) {
    if (late !== undefined) return late;
    if (isCancelled(cause)) throw cause;
    // Also where it takes nothing any more: the question may have ended its process a moment ago.
    throw new Confused(ASKED_AMISS, { cause });
  }
}

/** It cannot be reached at all, or nobody waits. */
function isFinal(cause: unknown): boolean {
  return isCancelled(cause) || isUnreachable(cause);
}

function isCancelled(cause: unknown): boolean {
  return DevsError.is(cause) && cause.code === 'CALL_CANCELLED';
}

/** Nothing was sent, or it was not let in. */
export function isUnreachable(cause: unknown): boolean {
  return DevsError.is(cause) && cause.code === 'UPSTREAM_UNAVAILABLE';
}

async function initialize({ peer, client, signal }: GreetingOptions): Promise<ServerInfo> {
  const [latest = ''] = SUPPORTED_PROTOCOL_VERSIONS;
  const asked = client.era === 'legacy' ? client.protocolVersion : latest;
  const params: JsonObject = { protocolVersion: asked, capabilities: client.capabilities as JsonObject, clientInfo: { ...client.clientInfo } };
  const outcome = await peer.ask({ method: 'initialize', params, signal });
  const { protocolVersion, serverInfo, capabilities, instructions } = outcome.kind === 'result' ? outcome.result : {};
  const isKnown = typeof protocolVersion === 'string' && [asked, ...SUPPORTED_PROTOCOL_VERSIONS].includes(protocolVersion);
  if (!isKnown || !isRecord(capabilities)) throw unusable();
  return { era: 'legacy', protocolVersion, ...readServerInfo({ serverInfo, capabilities, instructions }) };
}

async function discover({ peer, client, signal }: GreetingOptions): Promise<ServerInfo> {
  const asked = { method: 'server/discover', params: { _meta: envelopeFor(client) }, signal };
  const outcome = await peer.ask(asked).catch(async (cause: unknown) => {
    // It names what it speaks, and that is what it was asked in: once more.
    if (namesOurVersion(cause)) return peer.ask(asked);
    throw cause;
  });
  const { supportedVersions, capabilities, instructions, _meta: meta } = outcome.kind === 'result' ? outcome.result : {};
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION) || !isRecord(capabilities)) throw unusable();
  const serverInfo = isRecord(meta) ? meta[SERVER_INFO_META_KEY] : undefined;
  return { era: 'modern', protocolVersion: MODERN_VERSION, ...readServerInfo({ serverInfo, capabilities, instructions }) };
}

function namesOurVersion(cause: unknown): boolean {
  if (!(cause instanceof UpstreamError) || cause.code !== UNSUPPORTED_VERSION || !isRecord(cause.data)) return false;
  const { supported } = cause.data;
  return Array.isArray(supported) && supported.includes(MODERN_VERSION);
}

function unusable(): DevsError {
  return new DevsError('UPSTREAM_ANSWER_REFUSED', { sentence: 'The server does not answer as an MCP server.' });
}

/** All of it is JSON; that names are texts is all that is looked at. */
function readServerInfo({ serverInfo, capabilities, instructions }: Readonly<Record<string, unknown>>): Omit<ServerInfo, 'era' | 'protocolVersion'> {
  const info = isRecord(serverInfo) ? serverInfo : {};
  const { name, version } = info;
  return {
    serverInfo: { ...info, name: typeof name === 'string' ? name : '', version: typeof version === 'string' ? version : '' } as JsonObject,
    capabilities: capabilities as JsonObject,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}
