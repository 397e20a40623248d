import type { JsonObject } from '../json.ts';
import { DEFAULT_CONFIG } from './defaults.ts';
import { integer, integerWithout, section, toByDefault } from './schema-parts.ts';

const { limits } = DEFAULT_CONFIG;

/** Stands for all tools and for one, where it has no default. */
export const READ_SIZE: JsonObject = {
  type: 'integer',
  minimum: 1_024,
  maximum: 268_435_456,
  description: 'Most bytes that one read of a file returns.',
};

/** Of somebody, or of something: how many calls. Without defaults. */
export const CALL_LIMITS = {
  atOnce: integerWithout(1, 10_000, 'Calls that run at once; more wait in line.'),
  perMinute: {
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 100_000,
    title: 'a whole number from 1 to 100000, or null',
    description: 'Calls that begin within any minute; more wait in line. null: as many as come.',
  },
} as const satisfies JsonObject;

/** Of one tool, or of each tool of one server. Without a default. */
export const TOOL_TIMEOUT: JsonObject = integerWithout(1, 86_400_000, 'Milliseconds a tool may take before the call is answered without it.');

/** `limits`. */
export const LIMITS_SCHEMA: JsonObject = section('What a call may use.', {
  toolTimeoutMs: toByDefault(TOOL_TIMEOUT, limits.toolTimeoutMs),
  principal: section('Of each principal: whoever has one token, or one connection without tokens.', {
    atOnce: toByDefault(CALL_LIMITS.atOnce, limits.principal.atOnce),
    perMinute: toByDefault(CALL_LIMITS.perMinute, limits.principal.perMinute),
  }),
  maxUserMessageLength: integer([1, 10_000_000], limits.maxUserMessageLength, 'Characters of what a user tells an agent; more is cut, visibly.'),
  maxToolOutputLength: integer([1, 10_000_000], limits.maxToolOutputLength, 'Characters of one tool result in the agent loop; more is cut, visibly.'),
  maxTotalContextTokens: integer([1_000, 10_000_000], limits.maxTotalContextTokens, 'Tokens of one whole request of the agent loop to its model.'),
  maxFileReadSize: toByDefault(READ_SIZE, limits.maxFileReadSize),
});
