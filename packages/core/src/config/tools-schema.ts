import type { JsonObject } from '../json.ts';
import { CALL_LIMITS, READ_SIZE, TOOL_TIMEOUT } from './limits-schema.ts';
import { part } from './schema-parts.ts';

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

/** Hosts that may be reached. What exactly a host may look like is asked where they are used. */
export const HOSTS: JsonObject = {
  type: 'array',
  maxItems: 1_000,
  items: { type: 'string', maxLength: 255, pattern: '^(\\*|(\\*\\.)?[^\\s/\\\\*@?#%]{1,253})$', title: 'a host such as example.com, *.example.com or *' },
  description: 'Hosts that tools may reach on ports 80 and 443. An allowed host is a way out for whatever a tool can read.',
};

const choice = (allowed: readonly string[], description: string): JsonObject => ({ type: 'string', enum: allowed, description });
const flag = (description: string): JsonObject => ({ type: 'boolean', title: 'true or false', description });

const OUTPUT = {
  maxSizeBytes: { type: 'integer', minimum: 0, maximum: 268_435_456, description: 'Most bytes of UTF-8 of one result.' },
  truncationMessage: {
    type: 'string',
    maxLength: 1_000,
    // What stands in the middle of an output must not be able to do what output may not.
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    title: 'a text of at most 1,000 characters on one line',
    description: 'Stands where something was cut off.',
  },
  stripControlChars: flag('Take terminal controls out, or show them as pictures.'),
  stripNullBytes: flag('Take NULs out, or show them as pictures.'),
  validateJson: flag('Withhold what is not JSON of at most 50 levels.'),
  onBinary: choice(['reject', 'replace'], 'Withhold output that is no text, or make text of what can be.'),
  strategy: choice(['head', 'head-and-tail'], 'What is kept of a long output.'),
  html: choice(['keep', 'text'], 'Pass HTML as it is, or the text that its reader would see.'),
  links: choice(['keep', 'mark'], 'Pass images and links of Markdown as they are, or mark those that could carry data out.'),
} as const satisfies JsonObject;

/** A tool, or another request of MCP that a server behind devs answers: `files/resources/read`. */
const NAME = '^([A-Za-z0-9_.-]{1,128}|[A-Za-z0-9_.-]{1,64}/[a-z]+(/[a-z]+)?)$';

/** `tools`: what one tool has otherwise than all. */
export const TOOLS_SCHEMA: JsonObject = {
  type: 'object',
  title: 'a tool name is 1 to 128 of A-Z a-z 0-9 _ . -',
  patternProperties: {
    [NAME]: part('A tool by its name.', {
      validation: part('How its arguments are checked.', { mode: VALIDATION_MODE }),
      files: part('Which paths it may reach.', FILE_RULES),
      limits: part('What its calls may use.', { maxFileReadSize: READ_SIZE, toolTimeoutMs: TOOL_TIMEOUT, ...CALL_LIMITS }),
      network: part('What it reaches on other machines.', { hosts: HOSTS }),
      output: part('What of its output goes to the model, and how.', OUTPUT),
    }),
  },
  additionalProperties: false,
  default: {},
  description: 'What single tools have otherwise than all.',
};
