import path from 'node:path';
import { DevsError, type McpServerConfig } from '@devs/core';
import type { UpstreamOptions } from './protocol/greeted-upstream.ts';
import { HttpUpstream } from './http/http-upstream.ts';
import { StdioUpstream, type SpawnServer } from './stdio/stdio-upstream.ts';
import type { Upstream } from '../protocol/upstream.ts';

export interface CreateUpstreamOptions extends Omit<UpstreamOptions, 'name'> {
  readonly config: McpServerConfig & { readonly name: string };
  /** Absolute: where its commands run, and what their `cwd` is seen from. */
  readonly root: string;
  /** What its processes get beside their own `env`. */
  readonly environment: NodeJS.ProcessEnv;
  readonly spawn?: SpawnServer;
  readonly schemaOf?: (toolName: string) => unknown;
}

/** A server as the configuration has it. Throws `UPSTREAM_UNAVAILABLE` for one that devs cannot speak to at all. */
export function createUpstream({ config, root, environment, spawn, schemaOf, ...shared }: CreateUpstreamOptions): Upstream {
  const { name, command, args = [], env = {}, cwd, url, headers, type } = config;
  if (type === 'sse') throw unusable(name, SSE_SENTENCE, SSE_SUGGESTION);
  if (command !== undefined) {
    const place = { command, args, cwd: path.resolve(root, cwd ?? ''), env: { ...environment, ...env } };
    return new StdioUpstream({ name, command: place, ...shared, ...(spawn !== undefined && { spawn }) });
  }
  const target = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || (target.protocol !== 'http:' && target.protocol !== 'https:')) {
    throw unusable(name, 'has neither a command nor a url of http: or https:.', 'Set one of the two in its configuration.');
  }
  return new HttpUpstream({ name, url: target, ...shared, ...(headers !== undefined && { headers }), ...(schemaOf !== undefined && { schemaOf }) });
}

const SSE_SENTENCE = 'is configured for the transport "sse", which MCP has given up and devs does not speak.';
const SSE_SUGGESTION = 'Set its "type" to "http" and its "url" to its Streamable HTTP endpoint, often the same address with /mcp at its end.';

function unusable(name: string, sentence: string, suggestion: string): DevsError {
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence: `The server ${JSON.stringify(name)} ${sentence}`, suggestion });
}
