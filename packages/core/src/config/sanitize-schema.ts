import type { JsonObject } from '../json.ts';

/** Keys of `sanitize`, without their defaults. */
export const SANITIZE_KEYS = {
  boundaries: {
    type: 'string',
    enum: ['on-request', 'untrusted', 'always'],
    description: 'Which results stand inside a boundary: those of which it is asked, also all of untrusted tools, or all.',
  },
  structured: {
    type: 'string',
    enum: ['fence', 'drop', 'keep'],
    description: 'The structured part of a result inside a boundary: say in it that it is data, leave it out, or pass it as it is.',
  },
  secrets: { type: 'boolean', title: 'true or false', description: 'Mask secrets in results and in the log.' },
  triggers: {
    type: 'array',
    maxItems: 100,
    // One character, or a space, would redact half of every text.
    items: { type: 'string', minLength: 3, maxLength: 100, pattern: '^[!-~]+$', title: 'a word of 3 to 100 visible ASCII characters' },
    description: 'Words that make other programs act when a model repeats them; mcp__devs is always one.',
  },
  allowedSecrets: {
    type: 'array',
    maxItems: 1_000,
    items: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      title: 'an object with "rule", "tool" or "fingerprint"',
      properties: {
        rule: { type: 'string', pattern: '^[a-z0-9-]{1,64}$', title: 'the id of a rule' },
        tool: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,128}$', title: 'the name of a tool' },
        fingerprint: { type: 'string', pattern: '^[0-9a-f]{16}$', title: '16 hexadecimal digits' },
      },
    },
    description: 'What looks like a secret and is none: by rule, tool or fingerprint; all that is said must fit.',
  },
  maxSamplingTokens: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    description: "Tokens that a server may have the client's model write for one prompt of its own (sampling).",
  },
} as const satisfies JsonObject;

/** `labels.untrustedPaths`: names of folders and files, or several with `/` between them; `*` stands for anything within a name. */
export const UNTRUSTED_PATHS: JsonObject = {
  type: 'array',
  maxItems: 1_000,
  items: {
    type: 'string',
    maxLength: 255,
    pattern: '^(?!\\.{1,2}(/|$))[^/\\u0000-\\u001f\\\\]+(/(?!\\.{1,2}(/|$))[^/\\u0000-\\u001f\\\\]+)*$',
    title: 'a name such as node_modules, or names with / between them',
  },
  description: 'What read_file and search_files show of files in these folders is untrusted. A project’s file only ever adds to it.',
};
