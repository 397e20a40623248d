import { isRecord, type JsonObject } from '../json.ts';
import { AUDIT_SCHEMA } from './audit-schema.ts';
import { DEFAULT_CONFIG } from './defaults.ts';
import { LIMITS_SCHEMA } from './limits-schema.ts';
import { MCP_SERVERS_SCHEMA } from './mcp-servers-schema.ts';
import { integer, section, toByDefault } from './schema-parts.ts';
import { CODE_SCHEMA, GIT_SCHEMA, NETWORK_SCHEMA, SANDBOX_SCHEMA } from './sandbox-schema.ts';
import { SANITIZE_KEYS, UNTRUSTED_PATHS } from './sanitize-schema.ts';
import { FILE_RULES, TOOLS_SCHEMA, VALIDATION_MODE } from './tools-schema.ts';

const { mcp, validation, sanitize, files, labels, http } = DEFAULT_CONFIG;

/**
 * The JSON Schema of the configuration, 2020-12, published as `@devs/core/devs.config.schema.json`.
 * Defaults come from the one place that holds them.
 */
export const CONFIG_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'devs configuration',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string', description: 'Where editors find this schema; devs does not read it.' },
    mcp: section('The MCP server.', {
      maxToolOutputBytes: integer([0, 268_435_456], mcp.maxToolOutputBytes, 'Hard cap of one tool result, in bytes of UTF-8.'),
      maxMessageBytes: integer(
        [1_048_576, 268_435_456],
        mcp.maxMessageBytes,
        'Largest message from a client or from a server that devs stands in front of, in bytes.',
      ),
    }),
    limits: LIMITS_SCHEMA,
    validation: section('How arguments are checked.', { mode: toByDefault(VALIDATION_MODE, validation.mode) }),
    sanitize: section('What goes to a model.', {
      boundaries: toByDefault(SANITIZE_KEYS.boundaries, sanitize.boundaries),
      structured: toByDefault(SANITIZE_KEYS.structured, sanitize.structured),
      secrets: toByDefault(SANITIZE_KEYS.secrets, sanitize.secrets),
      triggers: toByDefault(SANITIZE_KEYS.triggers, [...sanitize.triggers]),
      allowedSecrets: toByDefault(SANITIZE_KEYS.allowedSecrets, []),
      maxSamplingTokens: toByDefault(SANITIZE_KEYS.maxSamplingTokens, sanitize.maxSamplingTokens),
    }),
    audit: AUDIT_SCHEMA,
    files: section('The file tools.', {
      protected: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^/]+$', title: 'a name of 1 to 255 characters without /' },
        default: [...files.protected],
        description: 'File and folder names that no tool may write, beside the built-in ones. Files only ever add to it.',
      },
      writable: {
        type: 'array',
        maxItems: 1_000,
        items: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\u0000]+$', title: 'a pattern of 1 to 255 characters' },
        default: [...files.writable],
        description: 'Built-in protected names that tools may write all the same. In your own file alone.',
      },
      allowed: toByDefault(FILE_RULES.allowed, [...files.allowed]),
      blocked: toByDefault(FILE_RULES.blocked, [...files.blocked]),
      maxDepth: toByDefault(FILE_RULES.maxDepth, files.maxDepth),
      symlinks: toByDefault(FILE_RULES.symlinks, files.symlinks),
    }),
    labels: section('Where content comes from.', { untrustedPaths: toByDefault(UNTRUSTED_PATHS, [...labels.untrustedPaths]) }),
    network: NETWORK_SCHEMA,
    sandbox: SANDBOX_SCHEMA,
    git: GIT_SCHEMA,
    code: CODE_SCHEMA,
    http: section('devs over HTTP.', {
      maxConnections: integer([1, 10_000], http.maxConnections, 'Connections open at once.'),
      maxRequests: integer([1, 100_000], http.maxRequests, 'Requests under way at once.'),
      requestTimeoutMs: integer([100, 600_000], http.requestTimeoutMs, 'Milliseconds that a client gets to send a whole request.'),
      maxSessions: integer([1, 10_000], http.maxSessions, 'Sessions of the older protocol that are kept at once.'),
      sessionIdleMs: integer([1_000, 86_400_000], http.sessionIdleMs, 'Milliseconds after which a session that nobody uses is ended.'),
    }),
    tools: TOOLS_SCHEMA,
    mcpServers: MCP_SERVERS_SCHEMA,
  },
};

/** The keys that hold a value, as people write them: `limits.toolTimeoutMs`. In the order of the schema. */
export function listConfigKeys(): readonly string[] {
  return listKeys(CONFIG_SCHEMA, '');
}

function listKeys(schema: unknown, prefix: string): readonly string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, inner]) => {
    const keys = listKeys(inner, `${prefix}${name}.`);
    return keys.length === 0 ? [prefix + name] : keys;
  });
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) ? properties : {};
}
