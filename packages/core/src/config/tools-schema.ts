import type { Json, JsonObject } from '../json.ts';

const paths: JsonObject = {
  type: 'array',
  maxItems: 1_000,
  // A NUL ends a path for the operating system and not for us.
  items: { type: 'string', minLength: 1, maxLength: 4_096, pattern: '^[^\\u0000]+$', title: 'a path of 1 to 4,096 characters' },
};

/** Keys that stand for all tools in one place and for one tool in another, where they have no default. */
export const VALIDATION_MODE: JsonObject = {
  type: 'string',
  enum: ['strict', 'lenient'],
  description: 'Take arguments as they are, or also turn texts into the numbers and booleans that they spell, and back.',
};

export const READ_SIZE: JsonObject = {
  type: 'integer',
  minimum: 1_024,
  maximum: 268_435_456,
  description: 'Most bytes that one read of a file returns.',
};

export const FILE_RULES = {
  allowed: { ...paths, description: 'Folders and files of the root that tools may reach. Empty: all of it.' },
  blocked: { ...paths, description: 'Folders and files of the root that no tool may reach. Files only ever add to it.' },
  maxDepth: { type: 'integer', minimum: 1, maximum: 256, description: 'Most segments of a path below the root.' },
  symlinks: {
    type: 'string',
    enum: ['inside', 'refuse'],
    description: 'Follow symbolic links that stay inside, or follow none.',
  },
} as const satisfies JsonObject;

/** `tools`: what one tool has otherwise than all. */
export const TOOLS_SCHEMA: JsonObject = {
  type: 'object',
  title: 'a tool name is 1 to 128 of A-Z a-z 0-9 _ . -',
  patternProperties: {
    '^[A-Za-z0-9_.-]{1,128}$': part('A tool by its name.', {
      validation: part('How its arguments are checked.', { mode: VALIDATION_MODE }),
      files: part('Which paths it may reach.', FILE_RULES),
      limits: part('What its calls may use.', { maxFileReadSize: READ_SIZE }),
    }),
  },
  additionalProperties: false,
  default: {},
  description: 'What single tools have otherwise than all.',
};

/** Without defaults: what is not said here is as for all tools. */
function part(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, description, properties };
}

export function toByDefault(schema: JsonObject, byDefault: Json): JsonObject {
  return { ...schema, default: byDefault };
}
