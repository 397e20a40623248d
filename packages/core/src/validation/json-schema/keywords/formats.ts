import type { Format, FormatDefinition } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Marks a string as a path that the tool will open. Its place is told; the gate judges it. */
export const PATH_FORMAT = 'devs-path';

/** How a text is held to a format, at a price. */
export interface TextFormat {
  readonly fits: (text: string) => boolean;
  /** Steps that a text of this length can cost. */
  readonly price: (length: number) => number;
}

/** A longer text fits no format of these: it costs more to look at than any honest one. */
const MOST_CHARACTERS = 4_096;

/** What costs more than a step a unit: measured with hostile texts. The expression of a URL takes the square of the text; `regex` compiles. */
const PRICES: ReadonlyMap<string, (length: number) => number> = new Map([
  ['url', (length: number) => length ** 2 >> 3],
  ['regex', (length: number) => 1_000 + 8 * length],
  ['uri', (length: number) => 2 * length],
  ['uri-reference', (length: number) => 2 * length],
  ['date-time', (length: number) => 4 * length],
  ['iso-date-time', (length: number) => 4 * length],
]);

/**
 * The formats that are asserted for texts, by name: those of ajv-formats, `byte` apart. What only says
 * how a value is shown (`password`, `binary`) is known and always fits.
 */
export const FORMATS: ReadonlyMap<string, TextFormat> = new Map<string, TextFormat>([
  ...Object.entries(fullFormats).flatMap(([name, format]): [string, TextFormat][] => {
    const fits = readText(format);
    return fits === undefined ? [] : [[name, bounded({ fits, price: PRICES.get(name) ?? linear })]];
  }),
  ['byte', { fits: isBase64, price: linear }],
  ['password', { fits: () => true, price: () => 0 }],
  ['binary', { fits: () => true, price: () => 0 }],
]);

/** Formats of numbers, which the dialects leave to whoever invents them: `int64` and others only say how a number is kept. */
export const NUMBER_FORMATS: ReadonlyMap<string, (value: number) => boolean> = new Map([
  ['int32', (value: number) => (value | 0) === value],
  ['int64', (value: number) => Number.isInteger(value)],
  ['float', () => true],
  ['double', () => true],
]);

/** Undefined for a format that is not one of texts. */
function readText(format: Format): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text);
  if (typeof format !== 'object' || !isOfText(format)) return undefined;
  return readText(format.validate);
}

function isOfText(format: Exclude<Extract<Format, object>, RegExp>): format is FormatDefinition<string> {
  return 'validate' in format && format.type !== 'number' && format.async !== true;
}

function bounded({ fits, price }: TextFormat): TextFormat {
  return {
    fits: (text) => text.length <= MOST_CHARACTERS && fits(text),
    price: (length) => (length > MOST_CHARACTERS ? 0 : price(length)),
  };
}

/** Of any length: it is how files are sent. The library's looks for one line of it among any others. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function linear(length: number): number {
  return length;
}
