import type { JsonObject } from '../json.ts';

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const;

/** One server. Keys that other programs put there (`disabled`, `autoApprove`, …) must not break a pasted file. */
const server: JsonObject = {
  title: 'an object with a command or a url',
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1, title: 'the name or path of a program', description: 'The program to start.' },
    args: { type: 'array', items: { type: 'string' }, description: 'Its arguments.' },
    env: { ...texts, description: 'Variables that it gets beside the safe ones.' },
    cwd: { type: 'string', minLength: 1, title: 'a folder', description: 'The folder it runs in.' },
    type: { type: 'string', enum: ['stdio', 'http', 'sse', 'streamable-http'], description: 'How it is spoken to.' },
    url: { type: 'string', pattern: '^https?://[^/]', title: 'a URL that begins with http:// or https://', description: 'Where it listens.' },
    headers: { ...texts, description: 'HTTP headers to send.' },
  },
  additionalProperties: true,
  // One or the other: with both, what is reviewed might not be what is reached.
  anyOf: [{ required: ['command'] }, { required: ['url'] }],
  dependentSchemas: { url: { properties: { command: false } } },
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
