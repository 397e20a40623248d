import type { Json } from '../../../json.ts';
import type { KeywordCompiler, KeywordSource } from '../evaluation/node.ts';
import type { Run } from '../evaluation/run.ts';

const LIMITS = new Map<string, { readonly fits: (value: number, limit: number) => boolean; readonly sign: string }>([
  ['minimum', { fits: (value, limit) => value >= limit, sign: '>=' }],
  ['maximum', { fits: (value, limit) => value <= limit, sign: '<=' }],
  ['exclusiveMinimum', { fits: (value, limit) => value > limit, sign: '>' }],
  ['exclusiveMaximum', { fits: (value, limit) => value < limit, sign: '<' }],
]);

export const limitNumber: KeywordCompiler = ({ keyword, value: limit, scope }) => {
  const kind = LIMITS.get(keyword);
  if (typeof limit !== 'number' || kind === undefined) return scope.refuse('must be a number');
  const expected = `${kind.sign} ${limit}`;
  const finding = { keyword, problem: `must be ${expected}`, expected: `a number ${expected}` };
  return (value, run) => typeof value !== 'number' || kind.fits(value, limit) || run.fail(value, () => finding);
};

export const multipleOf: KeywordCompiler = ({ keyword, value: divisor, scope }) => {
  if (typeof divisor !== 'number' || divisor <= 0) return scope.refuse('must be a number above 0');
  const isMultiple = divides(divisor);
  const finding = { keyword, problem: `must be a multiple of ${divisor}`, expected: `a multiple of ${divisor}` };
  return (value, run) => typeof value !== 'number' || isMultiple(value, run) || run.fail(value, () => finding);
};

/** By the decimals as they are written: to the binary ones 0.3 is no multiple of 0.1. */
function divides(divisor: number): (value: number, run: Run) => boolean {
  const parts = toDecimal(divisor);
  return (value, run) => {
    if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
    const { digits, exponent } = toDecimal(value);
    run.spend(60 + Math.abs(exponent - parts.exponent));
    const shared = Math.min(exponent, parts.exponent);
    return scale(digits, exponent - shared) % scale(parts.digits, parts.exponent - shared) === 0n;
  };
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Exponents of a double are within ±324: the products stay below some 650 digits. */
function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function scale(digits: bigint, places: number): bigint {
  return digits * 10n ** BigInt(places);
}

/** A whole number, 0 or more: `1.0` is one. */
export function readCount({ value, scope }: Pick<KeywordSource, 'scope'> & { readonly value: Json }): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return scope.refuse('must be a whole number, 0 or more');
  return value;
}
