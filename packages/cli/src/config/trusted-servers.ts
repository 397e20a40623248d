import { DevsError, isRecord, type McpServerConfig } from '@devs/core';
import { listServerFiles, serversIn, type ServerFile } from './server-files.ts';
import type { FilePlace } from './server-places.ts';

/** What a server runs in the root, as it was when somebody trusted its file. */
export interface TrustedServer {
  readonly name: string;
  /** All that its command named then. One that is missing later has another thing run in its place. */
  readonly files: readonly ServerFile[];
}

export interface ServerListing {
  readonly servers: readonly TrustedServer[];
  /** Of servers that cannot be trusted, and are not started, though the rest of the file is: a sentence each. */
  readonly refused: readonly string[];
}

/** Of JSON: a record has this much room beside the file itself. */
const MAX_SERVERS_BYTES = 1_048_576;

/** Of each server that devs would start. Throws `CONFIG_INVALID` when it is more than can be recorded. */
export async function listTrustedServers(values: Readonly<Record<string, unknown>>, place: FilePlace): Promise<ServerListing> {
  const [servers, refused]: [TrustedServer[], string[]] = [[], []];
  // One after another: what is hashed at once is held in memory at once.
  for (const [name, server] of serversIn(values).filter(([, { command }]) => command !== undefined)) {
    const files = await tryListing(server, place);
    if (typeof files === 'string') refused.push(`${name}: ${files}`);
    else servers.push({ name, files });
  }
  if (Buffer.byteLength(JSON.stringify(servers)) <= MAX_SERVERS_BYTES) return { servers, refused };
  throw new DevsError('CONFIG_INVALID', { sentence: 'The servers of the file name more files of the project than can be recorded.' });
}

/** Whether a person would trust what they have trusted. */
export function isSameServers(trusted: readonly TrustedServer[] | undefined, { servers, refused }: ServerListing): boolean {
  return refused.length === 0 && JSON.stringify(trusted ?? []) === JSON.stringify(servers);
}

/** Of a record; undefined where it has none of them. */
export function readServers(value: unknown): readonly TrustedServer[] | undefined | 'broken' {
  if (value === undefined) return undefined;
  return Array.isArray(value) && value.every(isServer) ? value : 'broken';
}

function isServer(value: unknown): value is TrustedServer {
  return isRecord(value) && typeof value['name'] === 'string' && Array.isArray(value['files']) && value['files'].every(isFile);
}

function isFile(value: unknown): value is ServerFile {
  if (!isRecord(value)) return false;
  const { path, sha256, real = '' } = value;
  return typeof path === 'string' && typeof sha256 === 'string' && typeof real === 'string';
}

async function tryListing(server: McpServerConfig, place: FilePlace): Promise<readonly ServerFile[] | string> {
  try {
    return await listServerFiles(server, place);
  } catch (cause) {
    if (DevsError.is(cause)) return cause.sentence;
    throw cause;
  }
}
