/**
 * Generated shapes of answers, each by its number: what makes a cleaner look at the same units again and again. Plain enough for Node
 * to run as it stands: `scripts/fuzz-cost.mjs` measures the built package with the same shapes.
 */

/** The same number for the same seed on every machine (mulberry32). */
export type Random = (below: number) => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const DASHES = '-'.repeat(5);
const HEADER = ['eyJhbGciOi', 'JIUzI1NiJ9.'].join('');

/** Every character that some step looks for, every second beginning of a pattern, and what unfolds to more than it was. */
const PIECES: readonly string[] = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)),
  '\t', '\n', '\r', '\r\n', '\u0000', '\u0007', '\u0008', '\u001b', '\u007f', '\u0085', '\u0092', '\u009b', '\u009d', '\f', '\u2028',
  '\u001b[', '\u001b[0;', '\u001b]', '\u001b]0;', '\u001bP', '\u001b\u001b[0m', '\u009d8;;', '\u0090a',
  '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u061c', '\u202e', '\u2066', '\u2069', '\u2068a', '\ufe0f', '\u{e0041}', '\u{e0100}', '\ue000', '\u2800',
  'क\u200d', 'ก\u200b', 'م\u200c', 'א\u200f', '葛\u{e0100}', '😀\u200d', '❤\ufe0f', '🏴\u{e0067}', '🇩', 'ᠭ\u180b', 'a\u00ad',
  '\u0301', 'e\u0301', '\ufdfa', '\ufb01', '\u1e9b\u0323', '㌖', 'ｅ', '𝓮', 'е', 'ı', '日', 'ü', '€', '😀', '\ud800', '\udc00', '\ufffd',
  '&', '&amp;', '&amp', '&lt;', '&lt', '&#60;', '&#x3c;', '&#00000060', '&#8203;', '&ZeroWidthSpace;', '&shy;', '&#xE0041;', '&am', '&amp;amp;', '&a1', '&nosuchname;', '&CounterClockwiseContourIntegral;',
  '\\', '\\\\', '\\u', '\\u003c', '\\u00', '\\ud83d', '\\ud83d\\ude00', '\\x3c', '\\x', '\\u{3c}', '\\u{', '\\U0000003c', '\\074', '\\"', '\\n', '\\_', '\\u200b', 'a\\u200b', 'gh\\u200bp_', '\\u001b',
  '%3C', '%', '%5f', '%2', '%253C', '%E2%80%8B', '+',
  '<', '</', '< /', '<a', '<a ', '<a href="', "<a href='", '<a b=', '<!--', '<![CDATA[', '<b>', '</b>', '<div>', '<p style="display:none">', '<style>', '<script>', '<table><tr><td>', '<ul><li>', '<svg>', '<img src=//a', '<title>', '<textarea>', '</>', '<template>', '<select><option>', '<a><b></a>', '<plaintext>', '<p hidden>',
  '<external-content-', '</external-content-0123456789ab>', '&lt;/external-content-', '<external', '</ / / ext', '[/external-content-', '{/external', '<x:external-content', '<external-content-a b="', '\\u003c/external', 'external', 'external-content',
  '__o', '__ot', '__ot ', '__OT1', 'mcp__', 'mcp__onetool', 'mcp__devs', '_\u00ad_', '\\_\\_ot',
  '[', ']', '![', '![a](', '![![](x)](', '[a](', '](<', '](', '\n[a]: //b', '[a]: ', '![a][b]', '[![](//a)]', '![[', '<http://', 'http://', 'https://a/?', '//', 'https://a/b%20c', 'javascript:', 'data:', '[a](//x "', '(((', '![](\\\n',
  '"', '""', '":', '{"a":', '["', '[[', '{"', '{}', '[],', '1,', '"a",', 'null,', '\\\\"', '"\\u001b",', '{"a":"', '0.', '-1e', '1e999,', '"password":"',
  `${DASHES}BEGIN RSA PRIVATE KEY${DASHES}`, `${DASHES}BEGIN RSA PRIVATE KEY${DASHES}\n`, `${DASHES}BEGIN `, `${DASHES}END PRIVATE KEY${DASHES}`, 'PRIVATE KEY', 'Private-Lines: 1\n', 'MIIEowIBAAKCAQEAuVx3Zq8Rk1sTf5bG7nHc2LdQ0PpWwYyEeXoJjNvMiKaSrUtB\n',
  'eyJ-', HEADER, `${HEADER}a.`, 'sk-', 'sk-ant-', 'AKIA', 'ghp_', 'xoxb-', 'glpat-', 'fm2_', 'SG.', '12345678:AA', 'a://b:c', '://a:b@', '@', 'authorization: bearer ', 'password=', 'AccountKey=', '&sig=', 'machine a login b password ', 'api_key: ', 'Set-Cookie: a=', '_authToken=', 'curl -u a:', 'mysql -p', ';pwd=', 'TOKEN=',
  'kind: Secret', '\nkind: Secret', 'kind: Secret\ndata:\n  a: ', '- kind: Secret\n', 'data:\n', '"kind":"Secret",', '"data":{',
  'A1b2C3d4', 'deadbeef', 'AAAA', 'LS0tLS1CRUdJTi', 'QUJD', '0123456789', 'aaaaaaaaaaaaa', 'word ', 'The quick brown fox. ', '[REDACTED:tag]', '[REDACTED:', '[REDACTED:secret:', '[devs 48151623: ', '[truncated]',
];

/** Between two pieces: nothing most of the time. */
const SEPARATORS = ['', '', '', '', ' ', '\n', '\t', ',', '"', '=', ':', '_', '-', '/', '.', '\\', '<', '>', 'a', '\u200b', '\u0301'];
/** How often a piece stands in a row before the pattern begins again. */
const ROWS = [1, 1, 1, 1, 2, 3, 8, 16, 17, 40, 130, 1_000, 5_000];
const PAIRS = [['[', ']'], ['{"a":', '}'], ['(', ')'], ['<b>', '</b>'], ['"', '"'], ['<!--', '-->'], ['\\(', '\\)'], ['[a](', ')'], ['![', '](//x)'], ['<a href="', '">']] as const;

export interface Shape {
  /** The number and what it consists of. */
  readonly name: string;
  /** As long as asked for, or a little less, in units of UTF-16. */
  make(units: number): string;
}

/** One after another: each piece alone first, then what chance makes of them. */
export function shapeAt(number: number): Shape {
  const piece = PIECES[number];
  if (piece !== undefined) return { name: `${String(number)} ${show(piece)}`, make: (units) => repeat(piece, units) };
  const random = createRandom(number * 2_654_435_761);
  const [recipe, makeText] = recipes(random)[random(RECIPE_COUNT)] ?? ['', repeatNothing];
  return { name: `${String(number)} ${recipe}`, make: makeText };
}

type Recipe = readonly [name: string, make: (units: number) => string];

const RECIPE_COUNT = 8;

function recipes(random: Random): readonly Recipe[] {
  const pick = <Item,>(items: readonly Item[], fallback: Item): Item => items[random(items.length)] ?? fallback;
  const piece = () => pick(PIECES, ' ');
  const row = () => piece().repeat(pick(ROWS, 1)).slice(0, 6_000);
  const [first, second, third] = [piece(), piece(), piece()];
  const separator = pick(SEPARATORS, '');
  const few = [first, separator, row(), pick(SEPARATORS, ''), row(), pick(SEPARATORS, '')].join('');
  const [open, close] = pick(PAIRS, ['[', ']']);
  const many = Array.from({ length: 2 + random(40) }, piece).join(separator);
  return [
    [`pieces ${show(few)}`, (units) => repeat(few, units)],
    [`two ${show(first + separator + second)}`, (units) => repeat(first + separator + second, units)],
    [`three ${show(first + second + third)}`, (units) => repeat(first + second + third, units)],
    [`begun ${show(first)} then ${show(second)}`, (units) => first + repeat(second, units - first.length)],
    [`run of ${show(first)} ended by ${show(second)}`, (units) => repeat(first, units - second.length) + second],
    [`nested ${show(open)} around ${show(first)}`, (units) => nest(open, close, { inner: first, units })],
    [`numbered ${show(first)}`, (units) => numbered(first + separator, units)],
    [`many ${show(many)}`, (units) => repeat(many, units)],
  ];
}

function repeatNothing(): string {
  return '';
}

function repeat(piece: string, units: number): string {
  return piece.repeat(Math.ceil(Math.max(0, units) / piece.length)).slice(0, Math.max(0, units));
}

function nest(open: string, close: string, { inner, units }: { readonly inner: string; readonly units: number }): string {
  const levels = Math.floor((units - inner.length) / (open.length + close.length));
  return levels < 1 ? inner : open.repeat(levels) + inner + close.repeat(levels);
}

/** No piece is like another: what is remembered of one is of no use for the next. */
function numbered(piece: string, units: number): string {
  const pieces: string[] = [];
  for (let length = 0, count = 0; length < units; count += 1) {
    const next = `${piece}${count.toString(36)}`;
    pieces.push(next);
    length += next.length;
  }
  return pieces.join('').slice(0, units);
}

function show(text: string): string {
  return JSON.stringify(text.length > 48 ? `${text.slice(0, 40)}…(${String(text.length)})` : text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What a tool or a server says, made of one text. What is around the text is taken from its units. */
export interface Place {
  readonly name: string;
  /** Which way of cleaning it goes. */
  readonly way: 'result' | 'page' | 'links' | 'file' | 'definition' | 'listing' | 'question' | 'log';
  /** Where the gate takes less than a megabyte: units beyond this are refused unread. */
  readonly mostUnits?: number;
  make(shape: Shape, units: number): unknown;
}

const text = (words: string | Uint8Array) => ({ type: 'text', text: words });
const texts = (...words: readonly (string | Uint8Array)[]) => ({ content: words.map(text) });

/** As many equal parts of a shape as asked for. */
function parts(shape: Shape, units: number, count: number): readonly string[] {
  return Array.from({ length: count }, () => shape.make(Math.floor(units / count)));
}

function manyKeys(shape: Shape, units: number): object {
  const key = shape.make(24);
  const count = Math.floor(units / (key.length + 16));
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${String(index)}${key}`, index]));
}

function deep(shape: Shape, units: number): unknown {
  let value: unknown = shape.make(units / 2);
  for (let level = 0; level < 45; level += 1) value = level % 2 === 0 ? { [`k${String(level)}`]: value, text: shape.make(units / 100) } : [value];
  return { deep: value };
}

function schemaOf(words: string): object {
  return { type: 'object', properties: { a: { type: 'string', description: words } } };
}

export const PLACES: readonly Place[] = [
  { name: 'text', way: 'result', make: (shape, units) => texts(shape.make(units)) },
  { name: 'bytes', way: 'result', make: (shape, units) => texts(new TextEncoder().encode(shape.make(units))) },
  { name: 'error', way: 'result', make: (shape, units) => ({ ...texts(shape.make(units)), isError: true }) },
  { name: 'links marked', way: 'links', make: (shape, units) => texts(shape.make(units)) },
  { name: 'page', way: 'page', make: (shape, units) => ({ content: [{ ...text(shape.make(units)), markup: 'html' }] }) },
  { name: 'element of a page', way: 'page', make: (shape, units) => ({ content: [{ ...text(`<!doctype html><p>${shape.make(units)}</p>`), markup: 'html' }] }) },
  { name: 'piece of a file', way: 'file', make: (shape, units) => fileOf(shape.make(units)) },
  { name: 'string of JSON', way: 'result', make: (shape, units) => texts(JSON.stringify({ text: shape.make(units) })) },
  { name: 'strings of JSON', way: 'result', make: (shape, units) => texts(JSON.stringify(parts(shape, units, 500))) },
  { name: 'names of JSON', way: 'result', make: (shape, units) => texts(JSON.stringify(manyKeys(shape, units))) },
  { name: 'JSON in JSON in JSON', way: 'result', make: (shape, units) => texts(JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: shape.make(units / 4) }) }) })) },
  { name: 'JSON lines', way: 'result', make: (shape, units) => texts(parts(shape, units, 200).map((part) => JSON.stringify({ part })).join('\n')) },
  { name: 'resource', way: 'result', make: (shape, units) => ({ content: [{ type: 'resource', resource: { uri: 'memo://a', text: shape.make(units) } }] }) },
  { name: 'blob', way: 'result', make: (shape, units) => ({ content: [{ type: 'resource', resource: { uri: 'memo://a', blob: toBase64(shape.make(units / 2)) } }] }) },
  { name: 'addresses', way: 'result', make: (shape, units) => ({ content: parts(shape, units / 3, 900).map((part) => ({ type: 'resource_link', uri: `https://a.example/${part}`, name: part, description: part })) }) },
  { name: 'blocks', way: 'result', make: (shape, units) => texts(...parts(shape, units, 1_000)) },
  { name: 'structured value', way: 'result', make: (shape, units) => ({ ...texts('see'), structuredContent: { text: shape.make(units) } }) },
  { name: 'structured values', way: 'result', make: (shape, units) => ({ ...texts('see'), structuredContent: { list: parts(shape, units, 2_000) } }) },
  { name: 'structured names', way: 'result', make: (shape, units) => ({ ...texts('see'), structuredContent: manyKeys(shape, units) }) },
  { name: 'structured name', way: 'result', make: (shape, units) => ({ ...texts('see'), structuredContent: Object.fromEntries(parts(shape, Math.min(units, 960_000), 60).map((part, at) => [`${part.slice(0, 16_000)}${String(at)}`, 1])) }) },
  { name: 'structured deep', way: 'result', make: (shape, units) => ({ ...texts('see'), structuredContent: deep(shape, units) }) },
  { name: 'structured and its twin', way: 'result', make: twin },
  { name: '_meta', way: 'result', mostUnits: 65_536, make: (shape, units) => ({ ...texts('see'), _meta: { 'a/b': shape.make(units) } }) },
  { name: 'error of the protocol', way: 'result', make: (shape, units) => ({ ...texts(shape.make(units / 2)), isError: true, protocolError: { code: -32_000, data: { text: shape.make(units / 2) } } }) },
  { name: 'description of a tool', way: 'definition', mostUnits: 250_000, make: (shape, units) => ({ name: 'tool', description: shape.make(units), inputSchema: { type: 'object' } }) },
  { name: 'schema of a tool', way: 'definition', mostUnits: 250_000, make: (shape, units) => ({ name: 'tool', inputSchema: { type: 'object', description: shape.make(units / 2), properties: { a: { type: 'string', enum: parts(shape, units / 2, 1_000) } } } }) },
  { name: 'description of a resource', way: 'listing', mostUnits: 250_000, make: (shape, units) => ({ name: 'file', uri: 'file:///a', description: shape.make(units) }) },
  { name: 'question', way: 'question', mostUnits: 250_000, make: (shape, units) => ({ content: [], inputRequired: { inputRequests: { a: { method: 'elicitation/create', params: { message: shape.make(Math.min(60_000, units / 2)), requestedSchema: schemaOf(shape.make(units / 2)) } } } } }) },
  { name: 'prompt', way: 'question', make: (shape, units) => ({ content: [], inputRequired: { inputRequests: { a: { method: 'sampling/createMessage', params: { maxTokens: 10, systemPrompt: shape.make(units / 2), messages: [{ role: 'user', content: text(shape.make(units / 2)) }] } } } } }) },
  { name: 'record of the log', way: 'log', make: (shape, units) => ({ text: shape.make(units) }) },
];

function toBase64(words: string): string {
  return Buffer.from(words, 'utf8').toString('base64');
}

function fileOf(words: string): object {
  const bytes = Buffer.from(words, 'utf8');
  return { content: [{ type: 'text', text: new Uint8Array(bytes), shown: { start: Math.floor(bytes.length / 3), end: bytes.length } }] };
}

function twin(shape: Shape, units: number): object {
  const structuredContent = { text: shape.make(units / 3), also: `\u001b${shape.make(100)}` };
  return { ...texts(JSON.stringify(structuredContent)), structuredContent };
}
