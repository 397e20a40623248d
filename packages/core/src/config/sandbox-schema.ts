import type { JsonObject } from '../json.ts';
import { DEFAULT_CONFIG } from './defaults.ts';
import { integer, section, toByDefault } from './schema-parts.ts';
import { HOSTS } from './tools-schema.ts';

const { network, sandbox, git, code } = DEFAULT_CONFIG;

/** What stands in a commit: `Name <email>` on one line. */
const PERSON = '^[^<>\\u0000-\\u001f\\u007f]+$';

/** `network`. */
export const NETWORK_SCHEMA: JsonObject = section('What tools reach on other machines.', { hosts: toByDefault(HOSTS, [...network.hosts]) });

/** Stands for all servers and for one, where it has no default. */
export const UPSTREAM_SANDBOX_MODE: JsonObject = {
  type: 'string',
  enum: ['none', 'prefer', 'require'],
  description: 'Whether a server that devs starts runs in a sandbox: never, where this machine supports it, or always (otherwise it does not start).',
};

/** Absolute paths of this machine. */
export const ABSOLUTE_PATHS = {
  type: 'array',
  maxItems: 100,
  items: { type: 'string', maxLength: 4_096, pattern: '^/[^\\u0000]*$', title: 'an absolute path' },
} as const satisfies JsonObject;

/** `sandbox`. */
export const SANDBOX_SCHEMA: JsonObject = section('Where commands, commits, code and servers run.', {
  tools: {
    type: 'string',
    enum: ['require', 'off'],
    default: sandbox.tools,
    description: 'In a sandbox or not at all; or without one. "off" counts only in your own file, never in one of the project.',
  },
  upstreams: toByDefault(UPSTREAM_SANDBOX_MODE, sandbox.upstreams),
  memoryBytes: integer([67_108_864, 1_099_511_627_776], sandbox.memoryBytes, 'Bytes of memory of all processes of a call, where control groups can count them.'),
  processes: integer([16, 32_768], sandbox.processes, 'Processes and threads of a call at once.'),
  readable: {
    ...ABSOLUTE_PATHS,
    default: [...sandbox.readable],
    description: 'Absolute paths that commands may read, beside the project and the programs in PATH.',
  },
  unixSockets: { type: 'boolean', title: 'true or false', default: sandbox.unixSockets, description: 'Let commands make Unix sockets with names.' },
  account: {
    type: ['string', 'null'],
    pattern: '^[1-9][0-9]{0,9}:[0-9]{1,10}$',
    title: 'uid:gid, or null',
    default: sandbox.account,
    description: 'The account, by number, that commands run as where devs runs as root.',
  },
});

/** `git`. */
export const GIT_SCHEMA: JsonObject = section('Who git_commit commits as.', {
  name: { type: 'string', minLength: 1, maxLength: 200, pattern: PERSON, title: 'a name on one line without < and >', default: git.name, description: 'Author and committer.' },
  email: { type: 'string', minLength: 1, maxLength: 200, pattern: PERSON, title: 'an address on one line without < and >', default: git.email, description: 'Its address.' },
});

/** `code`. */
export const CODE_SCHEMA: JsonObject = section('Code that calls tools.', {
  maxToolCalls: integer([0, 100_000], code.maxToolCalls, 'Calls of tools that one run of run_code may make.'),
});
