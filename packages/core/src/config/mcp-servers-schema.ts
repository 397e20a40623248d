import type { JsonObject } from '../json.ts';
import { CALL_LIMITS, TOOL_TIMEOUT } from './limits-schema.ts';
import { ABSOLUTE_PATHS, UPSTREAM_SANDBOX_MODE } from './sandbox-schema.ts';
import { part } from './schema-parts.ts';
import { HOSTS } from './tools-schema.ts';

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const;

/** What devs alone knows of a server. A word that is misspelt in here would be a box that is not there, so no other key passes. */
const OWN: JsonObject = {
  disabled: { type: 'boolean', title: 'true or false', description: 'Neither start it nor reach it.' },
  namespace: {
    type: 'string',
    pattern: '^(?!.*__)[A-Za-z0-9_.-]{0,64}$',
    title: 'empty, or 1 to 64 of A-Z a-z 0-9 _ . - without __',
    description: 'What stands before __ in the names of its tools; empty: nothing, and no __. Default: its name.',
  },
  labels: {
    type: 'array',
    maxItems: 3,
    items: { type: 'string', enum: ['untrusted', 'private', 'external'] },
    description: 'What all its tools are labelled. Default: untrusted. Empty: what it gives back is trusted.',
  },
  limits: part('Of all its tools together; the time is for each.', { ...CALL_LIMITS, toolTimeoutMs: TOOL_TIMEOUT }),
  sandbox: part('The sandbox of a server that devs starts.', {
    mode: UPSTREAM_SANDBOX_MODE,
    network: part('What it reaches on other machines.', { hosts: HOSTS }),
    mounts: part('What it sees of this machine beside its program.', {
      readOnly: { ...ABSOLUTE_PATHS, description: 'Absolute paths that it may read.' },
      readWrite: { ...ABSOLUTE_PATHS, description: 'Absolute paths that it may write too.' },
    }),
    loopbackPorts: {
      type: 'array',
      maxItems: 100,
      items: { type: 'integer', minimum: 1, maximum: 65_535 },
      description: 'Ports of this machine that it may connect to.',
    },
  }),
};

/** What clients know of a server. */
const COMMON: JsonObject = {
  command: { type: 'string', minLength: 1, title: 'the name or path of a program', description: 'The program to start.' },
  args: { type: 'array', items: { type: 'string' }, description: 'Its arguments.' },
  env: { ...texts, description: 'Variables that it gets beside the safe ones.' },
  cwd: { type: 'string', minLength: 1, title: 'a folder', description: 'The folder it runs in.' },
  type: { type: 'string', enum: ['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp'], description: 'How it is spoken to.' },
  url: { type: 'string', pattern: '^https?://[^/]', title: 'a URL that begins with http:// or https://', description: 'Where it listens.' },
  headers: { ...texts, description: 'HTTP headers to send.' },
};

export const OWN_KEYS: readonly string[] = Object.keys(OWN);
export const SERVER_KEYS: readonly string[] = [...Object.keys(COMMON), ...OWN_KEYS];

/** One server. Keys that other programs put there (`autoApprove`, `timeout`, …) must not break a pasted file: see `server-keys.ts`. */
const server: JsonObject = {
  title: 'an object with a command or a url',
  type: 'object',
  properties: { ...COMMON, ...OWN },
  additionalProperties: true,
  // One or the other: with both, what is reviewed might not be what is reached.
  anyOf: [{ required: ['command'] }, { required: ['url'] }],
  // Nor a box, which is asked for in vain where devs starts nothing.
  dependentSchemas: { url: { properties: { command: false, sandbox: false } } },
};

/** `mcpServers`, as people have it in the files of their clients. */
export const MCP_SERVERS_SCHEMA: JsonObject = {
  type: 'object',
  title: 'a server name is 1 to 64 of A-Z a-z 0-9 _ . - without __',
  // Two underscores part the server from the tool in the name that an agent calls.
  patternProperties: { '^(?!.*__)[A-Za-z0-9_.-]{1,64}$': server },
  additionalProperties: false,
  default: {},
  description: 'MCP servers that devs stands in front of, as clients write them.',
};
