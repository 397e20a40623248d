import type { JsonObject } from '../json.ts';
import { DEFAULT_CONFIG } from './defaults.ts';

/** The published JSON Schema of the configuration, 2020-12. Defaults come from the one place that holds them. */
export const CONFIG_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'devs configuration',
  type: 'object',
  additionalProperties: false,
  properties: {
    mcp: section('The MCP face.', {
      maxToolOutputBytes: {
        type: 'integer',
        minimum: 0,
        maximum: 268_435_456,
        default: DEFAULT_CONFIG.mcp.maxToolOutputBytes,
        description: 'Hard cap of one tool result, in bytes of UTF-8.',
      },
    }),
    limits: section('What a call may use.', {
      toolTimeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 86_400_000,
        default: DEFAULT_CONFIG.limits.toolTimeoutMs,
        description: 'Milliseconds a tool may take before the call is answered without it.',
      },
    }),
    audit: section('The call log.', {
      durability: {
        type: 'string',
        enum: ['power', 'process'],
        default: DEFAULT_CONFIG.audit.durability,
        description: 'What a logged call survives: a power cut, or a killed process.',
      },
    }),
    files: section('The file tools.', {
      protected: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^/]+$' },
        default: [...DEFAULT_CONFIG.files.protected],
        description: 'File and folder names that no tool may write, beside the built-in ones.',
      },
    }),
  },
};

function section(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, default: {}, description, properties };
}
