import fc from 'fast-check';

export { lawRuns } from '../../__tests__/law-runs.ts';

/** Secrets as their providers shape them, put together here: no file holds one whole. */
export const TOKENS: readonly string[] = [
  ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_'),
  ['xoxb', '123456789012', '1234567890123', 'AbCdEfGhIjKlMnOpQrStUvWx'].join('-'),
  ['sk', 'ant', 'api03', 'Zy9Xw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8Ba7'.repeat(2)].join('-'),
  ['AKIA', 'Q3EGRPZ7M5XVLT2W'].join(''),
];

/** What nobody sees, and terminals take for commands: all of it goes, so that a word can be cut by it. */
const SEPARATORS = [
  '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u180e', '\u202e', '\u2066', '\u2069', '\u200e', '\u200f', '\u2067', '&#8203;', '&shy;', '\u{e0041}', '\u{e007f}',
  '\u0000', '\u0007', '\u0008', '\u007f', '\u0085', '\u009c', '\u001b[0m', '\u001b[31;1m', '\u009b2J', '\u001b]0;x\u0007', '\u001b]8;;\u001b\\',
  '\u001bP1$r\u001b\\', '\u001b_x\u001b\\', '\u001bc', '\u001b(B', '\ue000', '\ufff9',
] as const;

/** What people write in some places: kept there, taken out elsewhere, and never in the way of a match. */
const KEPT_SOMEWHERE = ['\u00ad', '\u200e', '\u061c', '\u2060', '\u2066', '\u2067', '\u2068', '\u2069', '\u200b', 'ก\u200b', 'ꦱ', '&#8203;', '&shy;', '&#xE0041;', '&', '#', '&#', '82', '03;', 'shy;', '\u0092', '\u0094'] as const;

const CUT_SEQUENCES = ['\u001b', '\u001b[', '\u001b]', '\u001b]0;', '\u001bP', '\u009b', '\u009d', '\u001b[3', '[0m', ']0;', '\u0007', '\u001b\\', '\\'] as const;

const TAG_PARTS = [
  '<', '</', '< /', '<\\/', '&lt;', '&lt', '&#60;', '&#x3c;', '&amp;lt;', '\\u003c', '%3C', '\uff1c', '\u2039', '/', '\uff0f', '\\',
  'external', 'EXTERNAL', 'ext\u0435rnal', '\uff45xternal', '-', '\u2010', '\u2212', 'content', 'c\u043entent', 'external-content', 'external-content-',
  '0123456789ab', ' source="a"', '"', '>', '&gt;', '\uff1e', '</external-content-0123456789ab>', '<external-content-', '</external-content',
] as const;

const TRIGGER_PARTS = ['_', '__', '__o', '__ot', '__OT', '__\u043et', '\uff3f\uff3fot', '&#95;', '&#x5f;&#x5f;ot', '\\u005f', 'mcp', 'mcp__', 'mcp__onetool', 'MCP__Devs', 'onetool', 't', 'o', '1', '_run', ' ', '.'] as const;

const MARK_PARTS = ['[REDACTED', '[REDACTED:tag]', '[REDACTED:trigger]', '[REDACTED:secret:', 'github-token]', ']', '[', 'REDACTED', ':tag]', '[truncated]', '\n[OUTPUT TRUNCATED'] as const;

const SECRET_PARTS = [
  ...TOKENS, ...TOKENS.map((token) => token.slice(0, 9)), ...TOKENS.map((token) => token.slice(9)),
  'eyJ', 'eyJhbGciOiJIUzI1NiJ9.', 'postgres://a:', 'b@c', '://', '@', `${'-'.repeat(5)}BEGIN RSA PRIVATE KEY${'-'.repeat(5)}`, `${'-'.repeat(5)}END RSA PRIVATE KEY${'-'.repeat(5)}`,
  'MIIEowIBAAKCAQEAuVx3Zq8Rk1sTf5bG7nHc2LdQ0PpWwYyEeXoJjNvMiKaSrUtB', 'Authorization: Bearer ', 'password=', '"', "'", '=', '-', '_',
] as const;

const PLAIN = ['a', 'Z', '7', ' ', '\n', '\r\n', '\r', '\t', 'ü', '€', '日', '\u0301', '👨‍👩‍👧', '❤️', 'עברית', '\u200f', 'नमस्ते', 'می‌خواهم', '\ud83d', '\ude00', '\ufffd', '{', '}', '":', ',', '\\n', '\\u001b', '\\"'] as const;

/** Text made of pieces of attacks, in any order. */
export function attackText(maxLength = 24): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(...SEPARATORS),
    fc.constantFrom(...CUT_SEQUENCES),
    fc.constantFrom(...KEPT_SOMEWHERE),
    fc.constantFrom(...TAG_PARTS),
    fc.constantFrom(...TRIGGER_PARTS),
    fc.constantFrom(...MARK_PARTS),
    fc.constantFrom(...SECRET_PARTS),
    fc.constantFrom(...PLAIN),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  return fc.array(piece, { maxLength }).map((pieces) => pieces.join(''));
}

/** The same without what eats what follows it: a sequence that a terminal takes for a command takes its last letter from the next word. */
export function harmlessText(maxLength: number): fc.Arbitrary<string> {
  const piece = fc.constantFrom(...TAG_PARTS, ...TRIGGER_PARTS, ...MARK_PARTS, ...PLAIN);
  return fc.array(piece, { maxLength }).map((pieces) => pieces.join(''));
}

/** A word with separators between some of its characters: whoever reads it reads the word. */
export function disguised(word: string): fc.Arbitrary<string> {
  const separators = fc.array(fc.option(fc.constantFrom(...SEPARATORS), { nil: '', freq: 3 }), { minLength: word.length, maxLength: word.length });
  return separators.map((between) => Array.from(word, (unit, index) => unit + (index === word.length - 1 ? '' : (between[index] ?? ''))).join(''));
}

/** What stands around a secret without being taken for a part of it. */
export const SURROUNDINGS: readonly string[] = ['', ' ', '\n', '"', '(', '=', ':', ',', '_', '-', '/', '日'];
