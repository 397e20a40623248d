import { isRecord, type JsonObject } from '../json.ts';
import { DEFAULT_CONFIG } from './defaults.ts';
import { MCP_SERVERS_SCHEMA } from './mcp-servers-schema.ts';

const { mcp, limits, audit, files, http } = DEFAULT_CONFIG;

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
    mcp: section('The MCP face.', {
      maxToolOutputBytes: integer([0, 268_435_456], mcp.maxToolOutputBytes, 'Hard cap of one tool result, in bytes of UTF-8.'),
      maxMessageBytes: integer(
        [1_048_576, 268_435_456],
        mcp.maxMessageBytes,
        'Largest message from a client or from a server that devs stands in front of, in bytes.',
      ),
    }),
    limits: section('What a call may use.', {
      toolTimeoutMs: integer([1, 86_400_000], limits.toolTimeoutMs, 'Milliseconds a tool may take before the call is answered without it.'),
    }),
    audit: section('The call log.', {
      durability: {
        type: 'string',
        enum: ['power', 'process'],
        default: audit.durability,
        description: 'What a logged call survives: a power cut, or a killed process.',
      },
    }),
    files: section('The file tools.', {
      protected: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^/]+$', title: 'a name of 1 to 255 characters without /' },
        default: [...files.protected],
        description: 'File and folder names that no tool may write, beside the built-in ones. Files only ever add to it.',
      },
    }),
    http: section('devs over HTTP.', {
      maxConnections: integer([1, 10_000], http.maxConnections, 'Connections open at once.'),
      maxRequests: integer([1, 100_000], http.maxRequests, 'Requests under way at once.'),
      requestTimeoutMs: integer([100, 600_000], http.requestTimeoutMs, 'Milliseconds that a client gets to send a whole request.'),
    }),
    mcpServers: MCP_SERVERS_SCHEMA,
  },
};

/** The keys that hold a value, as people write them: `limits.toolTimeoutMs`. In the order of the schema. */
export function listConfigKeys(): readonly string[] {
  return Object.entries(propertiesOf(CONFIG_SCHEMA)).flatMap(([name, inner]) => {
    const keys = Object.keys(propertiesOf(inner));
    return keys.length === 0 ? [name] : keys.map((key) => `${name}.${key}`);
  });
}

function section(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, default: {}, description, properties };
}

function integer([minimum, maximum]: readonly [number, number], byDefault: number, description: string): JsonObject {
  return { type: 'integer', minimum, maximum, default: byDefault, description };
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) ? properties : {};
}
