import fc from 'fast-check';

/** JSON texts as no serializer writes them: keys twice, any escape, any whitespace. */
const space = fc.constantFrom('', '', '', ' ', '\t', '\r', ' \r\t ');

function quote(text: string, isEscaped: boolean): string {
  if (!isEscaped) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

const strings = fc
  .tuple(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('tools/call', '"', '\\', '\\"', '{"id":1}', '\u{1f600}')), fc.boolean())
  .map(([text, isEscaped]) => quote(text, isEscaped));
const keys = fc
  .tuple(fc.constantFrom('id', 'method', 'params', 'name', 'result', 'error', 'jsonrpc', '_meta', '__proto__', ''), fc.boolean())
  .map(([key, isEscaped]) => quote(key, isEscaped));
const literals = fc.constantFrom('0', '-0', '1', '12345', '1.5', '1e3', '-9007199254740991', '9007199254740993', '1e400', 'true', 'false', 'null');

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, literals, strings, tie('list'), tie('object')),
  list: fc.tuple(fc.array(tie('value'), { maxLength: 3 }), space).map(([values, gap]) => `[${gap}${values.join(`${gap},`)}${gap}]`),
  object: toObject(tie('value')),
}));

function toObject(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const members = fc.array(fc.tuple(keys, values), { maxLength: 5 });
  return fc
    .tuple(members, space, space)
    .map(([each, before, after]) => `{${before}${each.map(([key, inner]) => `${key}${after}:${before}${String(inner)}`).join(`${after},${before}`)}${after}}`);
}

const params = toObject(fc.oneof(strings, literals, value));
const member = fc.oneof(
  fc.tuple(fc.constantFrom('"id"', '"method"', '"result"', '"jsonrpc"'), fc.oneof(strings, literals, value)),
  fc.tuple(fc.constantFrom('"params"', String.raw`"\u0070arams"`), params),
  fc.tuple(keys, value),
);

/** Texts of objects, most of them nearly messages. */
export const jsonMessages: fc.Arbitrary<string> = fc
  .tuple(fc.array(member, { maxLength: 8 }), space)
  .map(([members, gap]) => `${gap}{${members.map(([key, inner]) => `${key}${gap}:${gap}${String(inner)}`).join(`${gap},`)}${gap}}${gap}`);

/** The bytes in pieces, cut at these places. */
export function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut));
}
