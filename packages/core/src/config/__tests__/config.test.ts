import { describe, expect, it } from '@jest/globals';
import { DevsError } from '../../errors.ts';
import { isRecord } from '../../json.ts';
import { CONFIG_SCHEMA, DEFAULT_CONFIG, parseConfig } from '../schema.ts';

const defaults = {
  mcp: { maxToolOutputBytes: 10_485_760 },
  limits: { toolTimeoutMs: 60_000 },
  audit: { durability: 'power' },
  files: { protected: [] },
};

function isFrozenDeep(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozenDeep));
}

/** The defaults that a schema says, section by section. */
function defaultsOf(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined;
  const { properties } = schema;
  if (!isRecord(properties)) return schema['default'];
  return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, defaultsOf(inner)]));
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
    ['empty sections', { mcp: {}, limits: {}, audit: {}, files: {} }],
    ['a section that is undefined', { mcp: undefined }],
  ])('gives the defaults for %s', (_name, input) => {
    expect(parseConfig(input)).toEqual(defaults);
    expect(DEFAULT_CONFIG).toEqual(defaults);
  });

  it('keeps what is said, and completes the rest', () => {
    expect(parseConfig({ limits: { toolTimeoutMs: 5 }, files: { protected: ['.secrets'] } })).toEqual({
      ...defaults,
      limits: { toolTimeoutMs: 5 },
      files: { protected: ['.secrets'] },
    });
    expect(parseConfig({ mcp: { maxToolOutputBytes: 0 } }).mcp.maxToolOutputBytes).toBe(0);
  });

  it('gives a frozen configuration of its own, and leaves the input alone', () => {
    const input = { files: { protected: ['a'] } };
    const config = parseConfig(input);
    input.files.protected.push('b');
    expect(config.files.protected).toEqual(['a']);
    expect(Object.keys(input)).toEqual(['files']);
    expect(isFrozenDeep(config) && isFrozenDeep(DEFAULT_CONFIG)).toBe(true);
    expect(parseConfig({})).not.toBe(parseConfig({}));
  });

  it.each<[unknown, string]>([
    [{ mcpp: {} }, 'the configuration has an unknown key "mcpp"; the known ones are mcp, limits, audit, files'],
    [{ mcp: { maxOutput: 1 } }, 'mcp has an unknown key "maxOutput"; the known ones are maxToolOutputBytes'],
    [JSON.parse('{"__proto__":{"mcp":{}}}'), 'the configuration has an unknown key "__proto__"; the known ones are mcp, limits, audit, files'],
    [JSON.parse('{"mcp":{"__proto__":{"maxToolOutputBytes":1}}}'), 'mcp has an unknown key "__proto__"; the known ones are maxToolOutputBytes'],
    [{ constructor: {} }, 'the configuration has an unknown key "constructor"; the known ones are mcp, limits, audit, files'],
    [{ mcp: { maxToolOutputBytes: 'ten' } }, 'mcp.maxToolOutputBytes is "ten", and must be integer'],
    [{ mcp: { maxToolOutputBytes: -1 } }, 'mcp.maxToolOutputBytes is -1, and must be >= 0'],
    [{ mcp: { maxToolOutputBytes: 1.5 } }, 'mcp.maxToolOutputBytes is 1.5, and must be integer'],
    [{ mcp: { maxToolOutputBytes: Number.NaN } }, 'mcp.maxToolOutputBytes is NaN, and must be integer'],
    [{ mcp: { maxToolOutputBytes: 1n } }, 'mcp.maxToolOutputBytes is 1, and must be integer'],
    [{ mcp: { maxToolOutputBytes: 268_435_457 } }, 'mcp.maxToolOutputBytes is 268435457, and must be <= 268435456'],
    [{ mcp: null }, 'mcp is null, and must be object'],
    [{ mcp: [] }, 'mcp is a list, and must be object'],
    [{ limits: { toolTimeoutMs: 0 } }, 'limits.toolTimeoutMs is 0, and must be >= 1'],
    [{ limits: { toolTimeoutMs: {} } }, 'limits.toolTimeoutMs is an object, and must be integer'],
    [{ audit: { durability: 'none' } }, 'audit.durability is "none", and must be one of ["power","process"]'],
    [{ audit: { durability: 'x'.repeat(200) } }, `audit.durability is "${'x'.repeat(99)}…, and must be one of ["power","process"]`],
    [{ files: { protected: ['a/b'] } }, 'files.protected.0 is "a/b", and must match pattern "^[^/]+$"'],
    [{ files: { protected: ['a', ''] } }, 'files.protected.1 is "", and must NOT have fewer than 1 characters'],
    [null, 'the configuration is null, and must be object'],
    ['{}', 'the configuration is "{}", and must be object'],
  ])('names key, value and fix (%#)', (input, problem) => {
    expect(problemOf(input)).toBe(`CONFIG_INVALID: ${problem}.`);
  });

  it('refuses what is no data', () => {
    expect(problemOf({ mcp: () => 1 })).toBe('CONFIG_INVALID: The configuration is not plain data.');
  });
});

describe('CONFIG_SCHEMA', () => {
  it('says the defaults that are in force', () => {
    expect(defaultsOf(CONFIG_SCHEMA)).toEqual(defaults);
  });

  it('describes every key, and knows no other', () => {
    const sections = Object.values((CONFIG_SCHEMA['properties'] ?? {}) as { [key: string]: { [key: string]: unknown } });
    for (const section of sections) {
      expect(section).toMatchObject({ type: 'object', additionalProperties: false, default: {}, description: expect.stringMatching(/\.$/) });
      for (const key of Object.values(section['properties'] ?? {})) expect(key).toHaveProperty('description');
    }
    expect(CONFIG_SCHEMA['additionalProperties']).toBe(false);
    expect(CONFIG_SCHEMA['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  });
});
