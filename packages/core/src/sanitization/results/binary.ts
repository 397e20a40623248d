import { Buffer } from 'node:buffer';
import { encodingOf, type Encoding } from '../../protocol/decode.ts';
import { readsAsText } from './reads-as-text.ts';

/** Output that is no text (seed 002). */
export interface BinaryContent {
  readonly kind: 'BinaryContent';
  /** NULs in what was looked at. 0 where something else told that it is no text. */
  readonly nullBytes: number;
  /** Bytes that were looked at: 8,192 at most. */
  readonly checkedBytes: number;
  /** The kind of file that begins like this, if it is a known one: `png`. */
  readonly type?: string;
}

/** What is known of the input before it is judged. */
export interface KnownOfBytes {
  /** Of a piece of a file, whose start alone tells it. Absent: a mark at the start tells it. */
  readonly encoding?: Encoding | undefined;
  /** True when it was decoded to a text without controls and replacements. */
  readonly hasTextUnits?: boolean;
}

const PLAIN = { isText: true, nullBytes: 0 } as const;

const CHECKED_BYTES = 8_192;
/** The longest start that a signature looks at. */
const SIGNATURE_BYTES = 32;

/**
 * What files of known kinds begin with, one byte a character. A name that text could begin with too (`GIF89a is a
 * format`) counts only with the bytes behind it that make a file of it.
 */
const SIGNATURES: readonly (readonly [type: string, start: RegExp])[] = [
  ['png', /^\u0089PNG\r\n\u001a\n/],
  ['jpeg', /^\u00ff\u00d8\u00ff/],
  ['gif', /^GIF8[79]a[^]{0,9}[\u0000-\u0008\u000e-\u001f\u0080-\u00ff]/],
  ['webp', /^RIFF[^]{4}WEBP/],
  ['wav', /^RIFF[^]{4}WAVE/],
  ['avi', /^RIFF[^]{4}AVI /],
  ['tiff', /^(?:II\*\u0000|MM\u0000\*)/],
  ['ico', /^\u0000\u0000\u0001\u0000/],
  ['pdf', /^%PDF-[12]\.\d/],
  ['zip', /^PK(?:\u0003\u0004|\u0005\u0006|\u0007\u0008)/],
  ['gzip', /^\u001f\u008b\u0008/],
  ['bzip2', /^BZh[1-9](?:1AY&SY|\u0017rE8P\u0090)/],
  ['xz', /^\u00fd7zXZ\u0000/],
  ['zstd', /^\u0028\u00b5\u002f\u00fd/],
  ['lz4', /^\u0004"M\u0018/],
  ['7z', /^7z\u00bc\u00af'\u001c/],
  ['rar', /^Rar!\u001a\u0007/],
  ['ar', /^!<arch>\n/],
  ['elf', /^\u007fELF/],
  ['mach-o', /^(?:\u00fe\u00ed\u00fa[\u00ce\u00cf]|[\u00ce\u00cf]\u00fa\u00ed\u00fe)/],
  ['pe', /^MZ[^]{0,20}\u0000\u0000/],
  ['wasm', /^\u0000asm/],
  ['class', /^\u00ca\u00fe\u00ba\u00be/],
  ['ole', /^\u00d0\u00cf\u0011\u00e0/],
  ['sqlite', /^SQLite format 3\u0000/],
  ['ogg', /^OggS\u0000/],
  ['flac', /^fLaC[\u0000\u0080]/],
  ['mp3', /^(?:ID3[\u0002-\u0004]\u0000|\u00ff[\u00f2\u00f3\u00fa\u00fb])/],
  ['mp4', /^\u0000\u0000[^]{2}ftyp/],
  ['webm', /^\u001aE\u00df\u00a3/],
  ['ttf', /^\u0000\u0001\u0000\u0000/],
  ['otf', /^OTTO\u0000/],
  ['woff', /^wOFF(?:\u0000\u0001\u0000\u0000|OTTO|true)/],
  ['woff2', /^wOF2(?:\u0000\u0001\u0000\u0000|OTTO|true)/],
  ['utf-32', /^(?:\u00ff\u00fe\u0000\u0000|\u0000\u0000\u00fe\u00ff)/],
];

/**
 * What makes the input binary; undefined for text, of any encoding. Bytes are told by their signature, and by what
 * `readsAsText` finds in them; a string, which somebody has decoded already, by the latter alone.
 * @example
 * ```ts
 * import { findBinary } from '@devs/core';
 * console.log(findBinary('plain text'), findBinary(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 0])).type); // undefined elf
 * ```
 */
export function findBinary(input: Uint8Array | string, { encoding, hasTextUnits = false }: KnownOfBytes = {}): BinaryContent | undefined {
  if (typeof input === 'string') {
    if (hasTextUnits) return undefined;
    const bytes = Buffer.from(input.slice(0, CHECKED_BYTES), 'utf8').subarray(0, CHECKED_BYTES);
    return toBinary(bytes, readsAsText(bytes, 'utf-8', true));
  }
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength).subarray(0, CHECKED_BYTES);
  const type = typeOf(bytes);
  const written = encoding ?? encodingOf(bytes);
  // Of UTF-16, text units are no proof: nearly every two bytes are some character.
  const judged = hasTextUnits && written === 'utf-8' ? PLAIN : readsAsText(bytes, written, false);
  return toBinary(bytes, judged, type);
}

function toBinary(bytes: Buffer, { isText, nullBytes }: ReturnType<typeof readsAsText>, type?: string): BinaryContent | undefined {
  if (isText && type === undefined) return undefined;
  return { kind: 'BinaryContent', nullBytes, checkedBytes: bytes.length, ...(type !== undefined && { type }) };
}

/** One look for all of them: nearly every text has none. */
const ANY_SIGNATURE = new RegExp(SIGNATURES.map(([, { source }]) => source).join('|'));

function typeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, SIGNATURE_BYTES);
  if (!ANY_SIGNATURE.test(start)) return undefined;
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
}
