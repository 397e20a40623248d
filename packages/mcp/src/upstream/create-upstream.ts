import path from 'node:path';
import { DevsError, type McpServerConfig } from '@devs/core';
import type { Upstream } from '../protocol/upstream.ts';
import { HttpTransport } from './http/http-transport.ts';
import { GreetedUpstream, type UpstreamOptions } from './protocol/greeted-upstream.ts';
import type { CreateTransport } from './protocol/upstream-transport.ts';
import { StdioTransport, type SpawnServer } from './stdio/stdio-transport.ts';

export interface TransportChoice {
  readonly config: McpServerConfig & { readonly name: string };
  /** Absolute: where its commands run, and what their `cwd` is seen from. */
  readonly root: string;
  /** What its processes get beside their own `env`. */
  readonly environment: NodeJS.ProcessEnv;
  readonly spawn?: SpawnServer;
  readonly schemaOf?: (toolName: string) => unknown;
}

export interface CreateUpstreamOptions extends TransportChoice, Omit<UpstreamOptions, 'name'> {}

/** A server as the configuration has it. Throws `UPSTREAM_UNAVAILABLE` for one that devs cannot speak to at all. */
export function createUpstream(options: CreateUpstreamOptions): Upstream {
  return new GreetedUpstream({ ...options, name: options.config.name }, chooseTransport(options));
}

/** How a server is reached. No other place knows both transports. */
export function chooseTransport({ config, root, environment, spawn, schemaOf }: TransportChoice): CreateTransport {
  const { name, command, args = [], env = {}, cwd, url, headers, type } = config;
  if (type === 'sse') throw unusable(name, SSE_SENTENCE, SSE_SUGGESTION);
  if (command !== undefined) {
    const place = { command, args, cwd: path.resolve(root, cwd ?? ''), env: { ...environment, ...env } };
    return (greeter) => new StdioTransport({ command: place, ...(spawn !== undefined && { spawn }) }, greeter);
  }
  const target = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || (target.protocol !== 'http:' && target.protocol !== 'https:')) {
    throw unusable(name, 'has neither a command nor a url of http: or https:.', 'Set one of the two in its configuration.');
  }
  return (greeter) => new HttpTransport({ url: target, ...(headers !== undefined && { headers }), ...(schemaOf !== undefined && { schemaOf }) }, greeter);
}

const SSE_SENTENCE = 'is configured for the transport "sse", which MCP has given up and devs does not speak.';
const SSE_SUGGESTION = 'Set its "type" to "http" and its "url" to its Streamable HTTP endpoint, often the same address with /mcp at its end.';

function unusable(name: string, sentence: string, suggestion: string): DevsError {
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence: `The server ${JSON.stringify(name)} ${sentence}`, suggestion });
}
