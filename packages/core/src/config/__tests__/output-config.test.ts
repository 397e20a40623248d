import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MAX_OUTPUT_SIZE, DEFAULT_OUTPUT_CONFIG, OUTPUT_PRESETS, outputConfigFor, parseConfig, settingsFor } from '../schema.ts';

describe('the presets of seed 002', () => {
  it.each([
    ['shell', 102_400],
    ['fileRead', 512_000],
    ['webFetch', 204_800],
    ['search', 51_200],
  ] as const)('%s: %i bytes', (preset, bytes) => {
    expect(OUTPUT_PRESETS[preset].maxSizeBytes).toBe(bytes);
  });

  it('are 100 KB for any other tool', () => {
    expect([DEFAULT_MAX_OUTPUT_SIZE, DEFAULT_OUTPUT_CONFIG.maxSizeBytes, DEFAULT_OUTPUT_CONFIG.truncationMessage]).toEqual([102_400, 102_400, '[truncated]']);
    expect(DEFAULT_OUTPUT_CONFIG).toMatchObject({ stripControlChars: true, stripNullBytes: true, validateJson: false, onBinary: 'reject' });
  });

  it.each([
    ['shell_exec', 'shell'],
    ['Bash', 'shell'],
    ['read_file', 'fileRead'],
    ['cat', 'fileRead'],
    ['web_fetch', 'webFetch'],
    ['FETCH', 'webFetch'],
    ['search_files', 'search'],
    ['grep', 'search'],
    ['files__read_file', 'fileRead'],
    ['files__cat', 'fileRead'],
    ['files_read_file', 'fileRead'],
    ['readFile', 'fileRead'],
    ['fs.read-file', 'fileRead'],
    ['web__fetch', 'webFetch'],
    ['code_search_files', 'search'],
  ] as const)('are looked up by name and alias: %s', (name, preset) => {
    expect(outputConfigFor(name)).toBe(OUTPUT_PRESETS[preset]);
  });

  it.each(['', 'read_file2', 'constructor', '__proto__', 'toString', 'mark_as_read', 'a_find', 'read_file_list', '_', '__'])('of a name that says nothing: %j', (name) => {
    expect(outputConfigFor(name)).toBe(DEFAULT_OUTPUT_CONFIG);
  });

  it('hold behind whatever namespace a server has', () => {
    const config = parseConfig({ mcpServers: { a: { command: 'x', namespace: 'read' }, b: { command: 'x', namespace: '' } } });
    expect(settingsFor(config, 'read__cat', 'a').output).toEqual(OUTPUT_PRESETS.fileRead);
    expect(settingsFor(config, 'read__other', 'a').output).toEqual(DEFAULT_OUTPUT_CONFIG);
    // The namespace is a word of the operator's: together with it `file` would say that files are read.
    expect(settingsFor(config, 'read__file', 'a').output).toEqual(DEFAULT_OUTPUT_CONFIG);
    expect(settingsFor(config, 'grep', 'b').output).toEqual(OUTPUT_PRESETS.search);
  });

  it('have the tool’s own settings over them', () => {
    const config = parseConfig({ tools: { shell_exec: { output: { maxSizeBytes: 5, onBinary: 'replace' } } } });
    expect(settingsFor(config, 'shell_exec').output).toEqual({ ...OUTPUT_PRESETS.shell, maxSizeBytes: 5, onBinary: 'replace' });
  });
});

it.each<[string, object, string]>([
  ['a control in the message', { truncationMessage: 'a\nb' }, 'must be a text of at most 1,000 characters on one line'],
  ['a size below nothing', { maxSizeBytes: -1 }, 'must be a whole number from 0 to 268435456'],
  ['another strategy', { strategy: 'tail' }, 'must be one of "head", "head-and-tail"'],
  ['a word for a flag', { stripControlChars: 'no' }, 'must be true or false'],
])('a bad setting names its key: %s', (_, output, rule) => {
  const [key] = Object.keys(output);
  expect(() => parseConfig({ tools: { a: { output } } })).toThrow(new RegExp(`tools\\.a\\.output\\.${String(key)} is .*${rule}`));
});

it.each<[string, object, string]>([
  ['an entry that allows everything', { allowedSecrets: [{}] }, 'must be an object with "rule", "tool" or "fingerprint"'],
  ['a fingerprint of another form', { allowedSecrets: [{ fingerprint: 'ABC' }] }, 'must be 16 hexadecimal digits'],
  ['a trigger of two letters', { triggers: ['ab'] }, 'must be a word of 3 to 100 visible ASCII characters'],
  ['another policy', { boundaries: 'never' }, 'must be one of "on-request", "untrusted", "always"'],
])('sanitize refuses %s', (_, sanitize, rule) => {
  expect(() => parseConfig({ sanitize })).toThrow(rule);
});

it.each<[string, number]>([
  ['files/resources/read', 512_000],
  ['read_file/prompts/get', 204_800],
  ['files/completion/complete', 204_800],
  ['files/tools/list', 102_400],
  ['files/', 102_400],
  ['/', 102_400],
  ['a/b/constructor', 102_400],
])('%s, which is no tool, has a budget of %s bytes', (name, maxSizeBytes) => {
  expect(outputConfigFor(name)).toEqual({ ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes });
});
