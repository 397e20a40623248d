interface Decimal {
  readonly isNegative: boolean;
  /** Without zeros at either end; empty for zero. */
  readonly digits: string;
  /** Of ten, for the last digit. */
  readonly exponent: number;
}

/** Whether two numbers, as JSON writes them, are the same to the last digit. */
export function sayTheSame(one: string, other: string): boolean {
  const [first, second] = [toDecimal(one), toDecimal(other)];
  if (first.digits !== second.digits) return false;
  return first.digits === '' || (first.exponent === second.exponent && first.isNegative === second.isNegative);
}

function toDecimal(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const significant = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = significant.slice(0, endWithoutZeros(significant));
  const exponent = Number(power) - fraction.length + (significant.length - digits.length);
  return { isNegative: text.startsWith('-'), digits, exponent };
}

/** By hand: a regular expression looks at each run of zeros once for each of its zeros, which takes minutes for a million. */
function endWithoutZeros(digits: string): number {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return end;
}
