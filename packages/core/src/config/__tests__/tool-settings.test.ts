import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, DEFAULT_OUTPUT_CONFIG, DEFAULT_TOOL_SETTINGS, OUTPUT_PRESETS, parseConfig, settingsFor } from '../schema.ts';

const defaults = {
  validation: { mode: 'strict' },
  files: { allowed: [], blocked: [], maxDepth: 256, symlinks: 'inside' },
  limits: { maxFileReadSize: 10_485_760 },
  network: { hosts: [] },
  output: DEFAULT_OUTPUT_CONFIG,
};
const ofReader = { ...defaults, output: OUTPUT_PRESETS.fileRead };

describe('settingsFor', () => {
  it('gives a tool of which nothing is said what holds for all', () => {
    expect(settingsFor(DEFAULT_CONFIG, 'read_file')).toEqual(ofReader);
    expect(DEFAULT_TOOL_SETTINGS).toEqual(defaults);
    const config = parseConfig({ validation: { mode: 'lenient' }, files: { allowed: ['src'] }, limits: { maxFileReadSize: 2_048 } });
    expect(settingsFor(config, 'read_file')).toEqual({
      ...ofReader,
      validation: { mode: 'lenient' },
      files: { ...defaults.files, allowed: ['src'] },
      limits: { maxFileReadSize: 2_048 },
    });
  });

  it.each<[string, object, object]>([
    ['mode', { validation: { mode: 'lenient' } }, { validation: { mode: 'lenient' } }],
    ['allowed', { files: { allowed: ['docs'] } }, { files: { ...defaults.files, blocked: ['secrets'], allowed: ['docs'] } }],
    ['depth', { files: { maxDepth: 3 } }, { files: { ...defaults.files, blocked: ['secrets'], maxDepth: 3 } }],
    ['links', { files: { symlinks: 'refuse' } }, { files: { ...defaults.files, blocked: ['secrets'], symlinks: 'refuse' } }],
    ['output', { output: { maxSizeBytes: 7 } }, { output: { ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes: 7 } }],
    ['hosts', { network: { hosts: ['docs.example'] } }, { network: { hosts: ['docs.example'] } }],
    ['read size', { limits: { maxFileReadSize: 1_024 } }, { limits: { maxFileReadSize: 1_024 } }],
    ['limits of calls', { limits: { atOnce: 2, perMinute: 30, toolTimeoutMs: 5 } }, { limits: { maxFileReadSize: 10_485_760, atOnce: 2, perMinute: 30, toolTimeoutMs: 5 } }],
    ['no rate', { limits: { perMinute: null } }, { limits: { maxFileReadSize: 10_485_760 } }],
    ['blocked, which is added', { files: { blocked: ['keys'] } }, { files: { ...defaults.files, blocked: ['secrets', 'keys'] } }],
    ['blocked twice', { files: { blocked: ['secrets'] } }, { files: { ...defaults.files, blocked: ['secrets'] } }],
  ])('takes what is said of the tool over it: %s', (_, own, expected) => {
    const config = parseConfig({ files: { blocked: ['secrets'] }, tools: { write_file: own } });
    const common = { ...defaults, files: { ...defaults.files, blocked: ['secrets'] } };
    const { files, ...others } = settingsFor(config, 'write_file');
    const { own: ofTool, ...rules } = files;
    expect({ ...others, files: rules }).toEqual({ ...common, ...expected });
    expect(ofTool).toEqual('files' in own ? { tool: 'write_file', files: own.files } : undefined);
    expect(settingsFor(config, 'read_file')).toEqual({ ...common, output: ofReader.output });
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('a tool called %s has what holds for all', (name) => {
    expect(settingsFor(parseConfig({ tools: { a: { validation: { mode: 'lenient' } } } }), name)).toEqual(defaults);
  });
});

describe('settingsFor a tool of a server', () => {
  const config = parseConfig({
    mcpServers: {
      files: { command: 'x', limits: { atOnce: 2, perMinute: 30, toolTimeoutMs: 5 } },
      bare: { command: 'x', namespace: '', limits: { atOnce: 3 } },
      other: { command: 'x', namespace: 'o', limits: { toolTimeoutMs: 7 } },
      free: { command: 'x' },
    },
    tools: { files__read: { limits: { atOnce: 1, toolTimeoutMs: 6 } } },
  });

  it.each<[string, string | undefined, object, object | undefined]>([
    ['files__list', undefined, { toolTimeoutMs: 5 }, { server: 'files', atOnce: 2, perMinute: 30 }],
    ['files__read', undefined, { toolTimeoutMs: 6, atOnce: 1 }, { server: 'files', atOnce: 2, perMinute: 30 }],
    ['files/resources/read', undefined, { toolTimeoutMs: 5 }, { server: 'files', atOnce: 2, perMinute: 30 }],
    ['o__read', undefined, { toolTimeoutMs: 7 }, undefined],
    ['other__read', undefined, {}, undefined],
    ['other/prompts/get', undefined, { toolTimeoutMs: 7 }, undefined],
    ['read', 'bare', {}, { server: 'bare', atOnce: 3 }],
    ['files__list', 'bare', {}, { server: 'bare', atOnce: 3 }],
    ['__list', undefined, {}, undefined],
    ['free__list', undefined, {}, undefined],
    ['nobody__list', 'toString', {}, undefined],
    ['read_file', undefined, {}, undefined],
  ])('%s of %s has what its server says, and what is said of it over that', (name, server, limits, serverLimits) => {
    const settings = settingsFor(config, name, server);
    expect(settings.limits).toEqual({ maxFileReadSize: 10_485_760, ...limits });
    expect(settings.serverLimits).toEqual(serverLimits);
  });
});

it('a polluted prototype configures no tool', () => {
  Object.defineProperty(Object.prototype, 'polluted', { value: { validation: { mode: 'lenient' } }, configurable: true });
  try {
    expect(settingsFor(DEFAULT_CONFIG, 'polluted')).toEqual(defaults);
  } finally {
    Reflect.deleteProperty(Object.prototype, 'polluted');
  }
});

describe('the keys of a tool', () => {
  it.each<[string, object]>([
    ['an unknown key', { tools: { a: { validaton: {} } } }],
    ['an unknown mode', { tools: { a: { validation: { mode: 'loose' } } } }],
    ['a name that no tool has', { tools: { 'a b': {} } }],
    ['a request that is none', { tools: { 'a/Resources/read': {} } }],
    ['a request of nobody', { tools: { '/resources/read': {} } }],
    ['an unknown limit', { tools: { a: { limits: { principal: {} } } } }],
    ['no calls at all', { tools: { a: { limits: { atOnce: 0 } } } }],
    ['a path with NUL', { files: { blocked: ['a\0b'] } }],
    ['an empty path', { tools: { a: { files: { allowed: [''] } } } }],
    ['a depth of nothing', { files: { maxDepth: 0 } }],
    ['links as they come', { files: { symlinks: 'follow' } }],
    ['a read of nothing', { limits: { maxFileReadSize: 0 } }],
    ['more paths than anybody lists', { files: { allowed: Array.from({ length: 1_001 }, (_, index) => `d${index}`) } }],
  ])('are checked: %s', (_, input) => {
    expect(() => parseConfig(input)).toThrow();
  });

  it('a list that is too long is told how long it may be', () => {
    const blocked = Array.from({ length: 1_001 }, (_, index) => `d${index}`);
    expect(() => parseConfig({ files: { blocked } })).toThrow('is a list, and must be a list of at most 1000');
  });
});

it('what is no tool can have settings too', () => {
  const config = parseConfig({ tools: { 'files/resources/read': { output: { maxSizeBytes: 7 } } } });
  expect(settingsFor(config, 'files/resources/read').output).toEqual({ ...OUTPUT_PRESETS.fileRead, maxSizeBytes: 7 });
});
