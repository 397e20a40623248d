import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DevsError } from '../../errors.ts';
import { isRecord } from '../../json.ts';
import { CONFIG_SCHEMA, createConfigCheck, checkConfig, DEFAULT_CONFIG, parseConfig } from '../schema.ts';

const defaults = {
  mcp: { maxToolOutputBytes: 10_485_760, maxMessageBytes: 33_554_432 },
  limits: {
    toolTimeoutMs: 60_000,
    principal: { atOnce: 64, perMinute: null },
    maxUserMessageLength: 100_000,
    maxToolOutputLength: 50_000,
    maxTotalContextTokens: 180_000,
    maxFileReadSize: 10_485_760,
  },
  validation: { mode: 'strict' },
  sanitize: { boundaries: 'untrusted', structured: 'fence', secrets: true, triggers: ['__ot', 'mcp__onetool'], allowedSecrets: [], maxSamplingTokens: 8_192 },
  audit: {
    durability: 'power',
    mode: 'strict',
    payloadDays: 90, maxBytes: 0, minFreeBytes: 268_435_456,
    heads: { everyRecords: 1_000, everySeconds: 300, systemLog: true, file: null },
  },
  files: { protected: [], writable: [], allowed: [], blocked: [], maxDepth: 256, symlinks: 'inside' },
  labels: { untrustedPaths: ['node_modules', 'vendor', '.venv', 'third_party'] },
  network: { hosts: [] },
  sandbox: { tools: 'require', upstreams: 'none', memoryBytes: 4_294_967_296, processes: 512, readable: [], unixSockets: false, account: null },
  git: { name: 'devs', email: 'devs@localhost' },
  code: { maxToolCalls: 256 },
  http: { maxConnections: 256, maxRequests: 1_024, requestTimeoutMs: 30_000, maxSessions: 256, sessionIdleMs: 1_800_000 },
  tools: {},
  mcpServers: {},
};

const sections = '$schema, mcp, limits, validation, sanitize, audit, files, labels, network, sandbox, git, code, http, tools, mcpServers';

function isFrozenDeep(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozenDeep));
}

/** The defaults that a schema says, section by section. */
function defaultsOf(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined;
  const { properties } = schema;
  if (!isRecord(properties)) return schema['default'];
  const entries = Object.entries(properties).map(([key, inner]) => [key, defaultsOf(inner)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function problemOf(input: unknown): string {
  try {
    parseConfig(input);
  } catch (cause) {
    if (DevsError.is(cause)) return cause.message;
  }
  return 'accepted';
}

describe('parseConfig', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty object', {}],
    ['empty sections', { mcp: {}, limits: {}, audit: {}, files: {}, http: {}, mcpServers: {} }],
    ['a section that is undefined', { mcp: undefined }],
    ['a line for editors', { $schema: './devs.config.schema.json' }],
  ])('gives the defaults for %s', (_name, input) => {
    expect(parseConfig(input)).toEqual(defaults);
    expect(DEFAULT_CONFIG).toEqual(defaults);
  });

  it('keeps what is said, and completes the rest', () => {
    expect(parseConfig({ limits: { toolTimeoutMs: 5 }, files: { protected: ['.secrets'] } })).toEqual({
      ...defaults,
      limits: { ...defaults.limits, toolTimeoutMs: 5 },
      files: { ...defaults.files, protected: ['.secrets'] },
    });
    expect(parseConfig({ mcp: { maxToolOutputBytes: 0 } }).mcp.maxToolOutputBytes).toBe(0);
  });

  it('gives a frozen configuration of its own, and leaves the input alone', () => {
    const input = { files: { protected: ['a'] }, mcpServers: { a: { command: 'x', args: ['y'] } } };
    const config = parseConfig(input);
    input.files.protected.push('b');
    expect(config.files.protected).toEqual(['a']);
    expect(Object.keys(input)).toEqual(['files', 'mcpServers']);
    expect(isFrozenDeep(config) && isFrozenDeep(DEFAULT_CONFIG)).toBe(true);
    expect(parseConfig({})).not.toBe(parseConfig({}));
  });

  it.each<[unknown, string]>([
    [{ mcpp: {} }, `mcpp is an unknown key; did you mean "mcp"; the known ones are ${sections}`],
    [{ somethingElse: {} }, `somethingElse is an unknown key; the known ones are ${sections}`],
    [{ limits: { tooltimeoutms: 1 } }, 'limits.tooltimeoutms is an unknown key; did you mean "toolTimeoutMs"; the known ones are toolTimeoutMs, principal, maxUserMessageLength, maxToolOutputLength, maxTotalContextTokens, maxFileReadSize'],
    [JSON.parse('{"__proto__":{"mcp":{}}}'), '__proto__ may not be used as a key'],
    [JSON.parse('{"mcp":{"__proto__":{"maxToolOutputBytes":1}}}'), 'mcp.__proto__ may not be used as a key'],
    [JSON.parse('{"mcpServers":{"a":{"command":"x","other":[{"__proto__":1}]}}}'), 'mcpServers.a.other.0.__proto__ may not be used as a key'],
    [{ mcpServers: { a: { command: 'x', env: { prototype: 'y' } } } }, 'mcpServers.a.env.prototype may not be used as a key'],
    [{ constructor: {} }, 'constructor may not be used as a key'],
    [{ mcp: { maxToolOutputBytes: 'ten' } }, 'mcp.maxToolOutputBytes is "ten", and must be a whole number from 0 to 268435456'],
    [{ mcp: { maxToolOutputBytes: -1 } }, 'mcp.maxToolOutputBytes is -1, and must be a whole number from 0 to 268435456'],
    [{ mcp: { maxToolOutputBytes: 1.5 } }, 'mcp.maxToolOutputBytes is 1.5, and must be a whole number from 0 to 268435456'],
    [{ mcp: { maxToolOutputBytes: Number.NaN } }, 'mcp.maxToolOutputBytes is NaN, and must be a whole number from 0 to 268435456'],
    [{ mcp: { maxToolOutputBytes: 1n } }, 'mcp.maxToolOutputBytes is 1, and must be a whole number from 0 to 268435456'],
    [{ mcp: { maxToolOutputBytes: 268_435_457 } }, 'mcp.maxToolOutputBytes is 268435457, and must be a whole number from 0 to 268435456'],
    [{ mcp: { maxMessageBytes: 1_048_575 } }, 'mcp.maxMessageBytes is 1048575, and must be a whole number from 1048576 to 268435456'],
    [{ mcp: null }, 'mcp is null, and must be an object'],
    [{ mcp: [] }, 'mcp is a list, and must be an object'],
    [{ limits: { toolTimeoutMs: 0 } }, 'limits.toolTimeoutMs is 0, and must be a whole number from 1 to 86400000'],
    [{ limits: { toolTimeoutMs: {} } }, 'limits.toolTimeoutMs is an object, and must be a whole number from 1 to 86400000'],
    [{ limits: { principal: { atOnce: 0 } } }, 'limits.principal.atOnce is 0, and must be a whole number from 1 to 10000'],
    [{ limits: { principal: { perMinute: 0.5 } } }, 'limits.principal.perMinute is 0.5, and must be a whole number from 1 to 100000, or null'],
    [{ limits: { principal: { perminute: 5 } } }, 'limits.principal.perminute is an unknown key; did you mean "perMinute"; the known ones are atOnce, perMinute'],
    [{ sandbox: { upstreams: 'off' } }, 'sandbox.upstreams is "off", and must be one of "none", "prefer", "require"'],
    [{ http: { maxSessions: 0 } }, 'http.maxSessions is 0, and must be a whole number from 1 to 10000'],
    [{ http: { sessionIdleMs: 999 } }, 'http.sessionIdleMs is 999, and must be a whole number from 1000 to 86400000'],
    [{ audit: { durability: 'none' } }, 'audit.durability is "none", and must be one of "power", "process"'],
    [{ audit: { durability: 'x'.repeat(200) } }, `audit.durability is "${'x'.repeat(99)}…, and must be one of "power", "process"`],
    [{ audit: { mode: 'off' } }, 'audit.mode is "off", and must be one of "strict", "batch"'],
    [{ audit: { payloadDays: -1 } }, 'audit.payloadDays is -1, and must be a whole number from 0 to 36500'],
    [{ audit: { heads: { every: 1 } } }, 'audit.heads.every is an unknown key; the known ones are everyRecords, everySeconds, systemLog, file'],
    [{ audit: { heads: { everyRecords: 0 } } }, 'audit.heads.everyRecords is 0, and must be a whole number from 1 to 1000000'],
    [{ audit: { heads: { systemLog: 'no' } } }, 'audit.heads.systemLog is "no", and must be true or false'],
    [{ audit: { heads: { file: 'heads' } } }, 'audit.heads.file is "heads", and must be the absolute path of a file, or null'],
    [{ audit: { heads: { file: '/heads/' } } }, 'audit.heads.file is "/heads/", and must be the absolute path of a file, or null'],
    [{ audit: { heads: { file: '/a\u0000b' } } }, 'audit.heads.file is "/a\\u0000b", and must be the absolute path of a file, or null'],
    [{ files: { protected: 'a' } }, 'files.protected is "a", and must be a list'],
    [{ files: { protected: ['a/b'] } }, 'files.protected.0 is "a/b", and must be a name of 1 to 255 characters without /'],
    [{ files: { protected: ['a', ''] } }, 'files.protected.1 is "", and must be a name of 1 to 255 characters without /'],
    [{ http: { maxConnections: 0 } }, 'http.maxConnections is 0, and must be a whole number from 1 to 10000'],
    [{ http: { maxRequests: 100_001 } }, 'http.maxRequests is 100001, and must be a whole number from 1 to 100000'],
    [{ http: { requestTimeoutMs: 99 } }, 'http.requestTimeoutMs is 99, and must be a whole number from 100 to 600000'],
    [null, 'the configuration is null, and must be an object'],
    ['{}', 'the configuration is "{}", and must be an object'],
    [{ mcp: () => 1 }, 'the configuration is not plain data'],
  ])('names key, value and fix (%#)', (input, problem) => {
    expect(problemOf(input)).toBe(`CONFIG_INVALID: ${problem}.`);
  });
});

describe('checkConfig', () => {
  it('gives every problem, each once, and at most 20', () => {
    const two = checkConfig({ limits: { toolTimeoutMs: 0 }, files: { protected: [''] } });
    expect(two).toMatchObject({ ok: false, problems: [{ pointer: '/limits/toolTimeoutMs' }, { pointer: '/files/protected/0' }] });
    const many = checkConfig({ files: { protected: Array.from({ length: 100 }, () => 7) } });
    expect(many.ok || many.problems.length).toBe(20);
  });

  it('can be made once and asked often', () => {
    const check = createConfigCheck();
    expect(check({ mcp: 1 }).ok).toBe(false);
    expect(check({})).toEqual({ ok: true, config: defaults });
  });
});

describe('CONFIG_SCHEMA', () => {
  it('is a schema, which no start of devs looks at', () => {
    const ajv = new Ajv2020();
    expect([ajv.validateSchema(CONFIG_SCHEMA), ajv.errors]).toEqual([true, null]);
    expect(ajv.validateSchema({ ...CONFIG_SCHEMA, type: 'folder' })).toBe(false);
  });

  it('says the defaults that are in force', () => {
    expect(defaultsOf(CONFIG_SCHEMA)).toEqual(defaults);
  });

  it('describes every key, and knows no other', () => {
    const { $schema, mcpServers, ...rest } = (CONFIG_SCHEMA['properties'] ?? {}) as { [key: string]: { [key: string]: unknown } };
    for (const key of [$schema, mcpServers]) expect(key).toHaveProperty('description');
    expect(mcpServers).toHaveProperty('additionalProperties', false);
    for (const section of Object.values(rest)) {
      expect(section).toMatchObject({ type: 'object', additionalProperties: false, default: {}, description: expect.stringMatching(/\.$/) });
      for (const key of Object.values(section['properties'] ?? {})) expect(key).toHaveProperty('description');
    }
    expect(CONFIG_SCHEMA['additionalProperties']).toBe(false);
    expect(CONFIG_SCHEMA['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  });
});
