import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/**
 * A form is text with places to fill: `{40:hex}`, `{uuid}`, `{jwt}`, `{base64:text}`, `{base64url:text}`, where the text may have places itself, in
 * angle brackets: `{base64:tok:<8:hex>}`. Between `«` and `»` is the secret; without them all of it is.
 */
const PLACE = /\{(?:(\d+):(\w+)|(uuid|jwt)|(base64(?:url)?):([^}]*))\}/g;
const INNER = /<(\d+):(\w+)>/g;

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const ALPHABETS = new Map(
  Object.entries({
    alnum: UPPER + LOWER + DIGITS,
    word: `${UPPER}${LOWER}${DIGITS}_-`,
    base64: `${UPPER}${LOWER}${DIGITS}+/`,
    lower: LOWER + DIGITS,
    upper: UPPER + DIGITS,
    base32: `${UPPER}234567`,
    base32lower: `${LOWER}234567`,
    bech32: 'qpzry9x8gf2tvdw0s3jn54khce6mua7l',
    BECH32: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
    hex: `${DIGITS}abcdef`,
    HEX: `${DIGITS}ABCDEF`,
    digits: DIGITS,
    graph: `${UPPER}${LOWER}${DIGITS}!%*.,_-`,
  }),
);

export interface FormSample {
  readonly before: string;
  readonly secret: string;
  readonly end: string;
}

/** The same sample for the same number, in every run. */
export function sampleOf(form: string, number: number): FormSample {
  const next = unitsOf(`${String(number)} ${form}`);
  const filled = form.replaceAll(PLACE, (_, length?: string, alphabet?: string, name?: string, encoding?: BufferEncoding, text?: string) => {
    if (length !== undefined && alphabet !== undefined) return fill(next, Number(length), alphabet);
    if (name === 'uuid') return [8, 4, 4, 4, 12].map((units) => fill(next, units, 'hex')).join('-');
    if (name === 'jwt') return `${toBase64Url('{"alg":"HS256","typ":"JWT"}')}.${toBase64Url(`{"sub":"${fill(next, 12, 'alnum')}"}`)}.${fill(next, 43, 'word')}`;
    return Buffer.from((text ?? '').replaceAll(INNER, (__, units: string, inner: string) => fill(next, Number(units), inner))).toString(encoding);
  });
  const [before, rest] = filled.includes('«') ? splitAt(filled, '«') : ['', filled];
  const [secret, end] = rest.includes('»') ? splitAt(rest, '»') : [rest, ''];
  return { before, secret, end };
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}

function fill(next: () => number, length: number, alphabet: string): string {
  const units = ALPHABETS.get(alphabet);
  if (units === undefined) throw new Error(`no alphabet is called ${alphabet}`);
  return Array.from({ length }, () => units[next() % units.length]).join('');
}

/** Numbers without end, the same for the same seed. */
function unitsOf(seed: string): () => number {
  let block = createHash('sha256').update(seed).digest();
  let at = 0;
  return () => {
    if (at + 4 > block.length) [block, at] = [createHash('sha256').update(block).digest(), 0];
    at += 4;
    return block.readUInt32BE(at - 4);
  };
}

const toBase64Url = (text: string) => Buffer.from(text).toString('base64url');
