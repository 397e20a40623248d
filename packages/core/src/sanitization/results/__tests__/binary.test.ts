import { Buffer } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { IOutputSanitizer } from '../../../protocol/output-sanitizer.ts';
import { createPipeline } from '../../__tests__/pipeline-scene.ts';
import { findBinary } from '../binary.ts';

const nulls = (count: number) => '\u0000'.repeat(count);
const latin = (text: string) => Buffer.from(text, 'latin1');

describe('text', () => {
  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['no bytes', Buffer.alloc(0)],
    ['10 NULs in little', `${nulls(10)}abc`],
    ['11 NULs, one in a hundred and one', nulls(11) + 'a'.repeat(1_100)],
    ['11 NULs, exactly one in a hundred', nulls(11) + 'a'.repeat(1_089)],
    ['NULs behind what is looked at', 'a'.repeat(8_192) + nulls(5_000)],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${'plain text '.repeat(100)}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\ufeff${'plain text '.repeat(100)}`, 'utf16le').swap16()],
    ['Latin-1', latin('Gr\u00fc\u00dfe '.repeat(50))],
    ['talk of a format', Buffer.from('GIF89a is a format')],
    ['talk of another', Buffer.from('MZ is how it begins. PK too. %PDF-x. wOFF is a font. RIFF, WEBP')],
    ['a string that begins as a file does', '\u0089PNG\r\n\u001a\n'],
    ['a string that begins as a file does, in words', '%PDF-1.4 and what a program printed of it'],
    ['a log with colours, bells and form feeds', Buffer.from('\u001b[31mred\u001b[0m \u0007\b\f\n'.repeat(200))],
    ['records that end in SOH', Buffer.from('8=FIX.4.2\u00019=178\u000135=8\u0001'.repeat(300))],
    ['a file of DOS', latin('Gr\u00fc\u00dfe aus K\u00f6ln\r\n\u001a'.repeat(1))],
    ['9 bytes that are none', Buffer.from('\u00ff\u0001\u00fe\u0002\u00fd\u0003\u00fc\u0004\u00fb', 'latin1')],
    ['a string with replaced characters', 'Gr\ufffd\ufffde '.repeat(100)],
    ['JSON', Buffer.from('{"a":[1,2]}')],
  ])('%s', (_name, input) => {
    expect(findBinary(input)).toBeUndefined();
  });
});

describe('binary by its NULs', () => {
  it.each<[string, string | Buffer, number, number]>([
    ['11 in 1,000', nulls(11) + 'a'.repeat(989), 11, 1_000],
    ['11 in 1,000, as bytes', Buffer.from(nulls(11) + 'a'.repeat(989)), 11, 1_000],
    ['one more than one in a hundred', nulls(11) + 'a'.repeat(1_088), 11, 1_099],
    ['at the end of what is looked at', 'a'.repeat(8_092) + nulls(200), 100, 8_192],
    ['a string of characters of three bytes', '€'.repeat(100) + nulls(12), 12, 312],
    ['UTF-16 of NULs', Buffer.from(`\ufeffa${nulls(500)}`, 'utf16le'), 500, 1_004],
    ['UTF-16 without its mark', Buffer.from('plain text '.repeat(100), 'utf16le'), 1_100, 2_200],
  ])('%s', (_name, input, nullBytes, checkedBytes) => {
    expect(findBinary(input)).toEqual({ kind: 'BinaryContent', nullBytes, checkedBytes });
  });
});

describe('binary by its start', () => {
  it.each<[string, string]>([
    ['png', '\u0089PNG\r\n\u001a\n'],
    ['jpeg', '\u00ff\u00d8\u00ff\u00e0'],
    ['gif', 'GIF89a\u0001\u0000\u0001\u0000'],
    ['webp', 'RIFF\u0024\u0000\u0000\u0000WEBPVP8 '],
    ['wav', 'RIFF\u0024\u0000\u0000\u0000WAVEfmt '],
    ['pdf', '%PDF-1.7\n'],
    ['zip', 'PK\u0003\u0004'],
    ['gzip', '\u001f\u008b\u0008\u0000'],
    ['bzip2', 'BZh91AY&SY'],
    ['xz', '\u00fd7zXZ\u0000'],
    ['zstd', '\u0028\u00b5\u002f\u00fd'],
    ['7z', "7z\u00bc\u00af'\u001c"],
    ['elf', '\u007fELF\u0002'],
    ['mach-o', '\u00cf\u00fa\u00ed\u00fe'],
    ['pe', 'MZ\u0090\u0000\u0003\u0000\u0000\u0000'],
    ['wasm', '\u0000asm\u0001'],
    ['class', '\u00ca\u00fe\u00ba\u00be'],
    ['sqlite', 'SQLite format 3\u0000'],
    ['ogg', 'OggS\u0000'],
    ['flac', 'fLaC\u0000'],
    ['mp3', 'ID3\u0004\u0000'],
    ['mp4', '\u0000\u0000\u0000\u0020ftypisom'],
    ['ttf', '\u0000\u0001\u0000\u0000'],
    ['woff', 'wOFF\u0000\u0001\u0000\u0000'],
    ['woff2', 'wOF2\u0000\u0001\u0000\u0000'],
    ['utf-32', '\u00ff\u00fe\u0000\u0000a\u0000\u0000\u0000'],
    ['utf-32', '\u0000\u0000\u00fe\u00ff'],
  ])('%s', (type, start) => {
    expect(findBinary(latin(`${start} and more of it`))).toMatchObject({ kind: 'BinaryContent', type });
  });
});

// Sentences of our own, in the scripts that old encodings were made for.
const SENTENCES = [
  'Der Zähler läuft: 42 Bögen, große Füße und ein Öl-Rest von 3,5 %.',
  'Le garçon a reçu où il était un gâteau très sucré, naïf et déçu.',
  'Zażółć gęślą jaźń — plik został zapisany o świcie.',
  'Příliš žluťoučký soubor byl uložen, řádek šest chybí.',
  'İstanbul’da dün güneşli ve ılık bir öğle vardı, çok şey gördük.',
  'Файл сохранён, строк: сорок две; проверьте журнал ещё раз.',
  'Файл збережено, їх було шість; ґанок і під’їзд чекають.',
  'Το αρχείο αποθηκεύτηκε, οι γραμμές είναι σαράντα δύο.',
  'הקובץ נשמר, יש בו ארבעים ושתיים שורות.',
  'حفظ الملف وفيه اثنان وأربعون سطرا من النص.',
  'บันทึกแฟ้มแล้ว มีสี่สิบสองบรรทัด',
  'ファイルを保存しました。行数は四十二です。カタカナも。',
  '文件已保存，共有四十二行，请再检查一次。',
  '檔案已儲存，共有四十二行，請再檢查一次。',
  '파일을 저장했습니다. 모두 마흔두 줄입니다.',
  'Fails ir saglabāts, rindu skaits: četrdesmit divas, šķērsām.',
  'Fișierul a fost salvat, rândurile sunt șase și ținta e atinsă.',
].map((sentence) => `${sentence}\n`);

const ENCODINGS = [
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16].map((part) => `iso-8859-${String(part)}`),
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((page) => `windows-125${String(page)}`),
  'windows-874', 'koi8-r', 'koi8-u', 'ibm866', 'macintosh', 'x-mac-cyrillic', 'shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5', 'euc-kr',
];

/** The bytes of each character that the encoding has, as a decoder knows them. */
function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(encoding);
  const single = Array.from({ length: 256 }, (_, byte) => [byte]);
  const pairs = Array.from({ length: 126 * 192 }, (_, index) => [0x81 + Math.floor(index / 192), 0x40 + (index % 192)]);
  const isSingle = /iso|windows|koi|ibm|mac/.test(encoding);
  const known = [...(isSingle ? [] : pairs), ...single].map((bytes) => [decoder.decode(Uint8Array.from(bytes)), bytes] as const);
  return new Map(known.filter(([character]) => Array.from(character).length === 1 && character !== '\ufffd'));
}

describe('text in an old encoding', () => {
  it.each(ENCODINGS)('%s', (encoding) => {
    const table = tableOf(encoding);
    const written = SENTENCES.filter((sentence) => Array.from(sentence).every((character) => table.has(character)));
    // What it was made for is among them, or the row says nothing.
    expect(written.filter((sentence) => /[^\u0000-\u007f]/.test(sentence)).length).toBeGreaterThan(0);
    for (const sentence of written) {
      const bytes = Buffer.from(Array.from(sentence.repeat(40)).flatMap((character) => table.get(character) ?? []));
      for (const size of [16, 64, 500, bytes.length]) expect(findBinary(bytes.subarray(0, size))).toBeUndefined();
    }
  });

  it.each(SENTENCES)('UTF-8 and UTF-16, cut anywhere: %s', (sentence) => {
    const utf8 = Buffer.from(sentence.repeat(20));
    const little = Buffer.from(`\ufeff${sentence.repeat(20)}`, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const bytes of [utf8, little, big]) {
      for (let size = 2; size < 120; size += 1) expect(findBinary(bytes.subarray(0, size))).toBeUndefined();
      expect(findBinary(bytes)).toBeUndefined();
    }
    for (let start = 1; start < 8; start += 1) expect(findBinary(utf8.subarray(start))).toBeUndefined();
    expect(findBinary(little.subarray(40), { encoding: 'utf-16le' })).toBeUndefined();
  });
});

/** The same bytes in every run, as random as any: mulberry32. */
function createRandom(seed: number): (size: number) => Buffer {
  let state = seed;
  return (size) =>
    Buffer.from(
      Array.from({ length: size }, () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return (mixed ^ (mixed >>> 14)) & 0xff;
      }),
    );
}

const random = createRandom(7);
const numberOf = () => random(2).readUInt16LE();
const prose = (size: number) => Array.from({ length: size }, () => SENTENCES[numberOf() % SENTENCES.length] ?? '').join('').slice(0, size);

/** MessagePack of a record as a program keeps it: an id, a hash, times, sizes, names. */
function packed(): Buffer {
  const text = (words: string) => Buffer.concat([Buffer.of(0xd9, Buffer.byteLength(words)), Buffer.from(words)]);
  const record = () => Buffer.concat([Buffer.of(0x85), text('id'), Buffer.of(0xcf), random(8), text('hash'), Buffer.of(0xc4, 20), random(20), text('at'), Buffer.of(0xcb), random(8), text('size'), Buffer.of(0xcd), random(2), text('name'), text(`file-${String(numberOf())}.txt`)]);
  return Buffer.concat([Buffer.of(0x98), ...Array.from({ length: 8 }, record)]);
}

/** DER of a list of numbers and names, as in a certificate. */
function encoded(): Buffer {
  const part = (tag: number, content: Buffer) => Buffer.concat([Buffer.of(tag, 0x82, content.length >> 8, content.length & 0xff), content]);
  return part(0x30, Buffer.concat([part(0x02, random(128)), Buffer.of(0x06, 0x03, 0x55, 0x04, 0x03), part(0x0c, Buffer.from('example.invalid')), part(0x03, random(64))]));
}

describe('what is no text and has no mark that says so', () => {
  it.each<[string, () => Buffer, number]>([
    // Of 16 bytes about 11 are suspicious, and ten count for nothing.
    ['48 random bytes', () => random(48), 0.9],
    ['64 random bytes', () => random(64), 0.95],
    ['128 random bytes', () => random(128), 1],
    ['8 KB of random bytes', () => random(8_192), 1],
    ['zlib of 100 characters', () => deflateSync(prose(100)), 0.95],
    ['zlib of 2,000 characters', () => deflateSync(prose(2_000)), 1],
    ['raw deflate', () => deflateRawSync(prose(2_000)), 1],
    ['Brotli', () => brotliCompressSync(prose(2_000)), 1],
    ['MessagePack', packed, 1],
    ['DER', encoded, 1],
    ['a piece out of the middle', () => gzipSync(prose(3_000)).subarray(100), 1],
    ['random bytes behind a mark of UTF-16', () => Buffer.concat([Buffer.of(0xff, 0xfe), random(1_000)]), 1],
    ['the same, big end first', () => Buffer.concat([Buffer.of(0xfe, 0xff), random(1_000)]), 1],
    ['a piece of a file that only begins as UTF-16', () => random(1_000), 1],
  ])('%s', (name, make, share) => {
    const encoding = name.startsWith('a piece of a file') ? ('utf-16be' as const) : undefined;
    const found = Array.from({ length: 200 }, () => findBinary(make(), { encoding })).filter((binary) => binary !== undefined);
    expect(found.length / 200).toBeGreaterThanOrEqual(share);
  });

  it('is none either once somebody has decoded it', () => {
    for (let count = 0; count < 50; count += 1) expect(findBinary(random(2_000).toString('utf8'))).toBeDefined();
  });
});

describe('behind a sanitizer that takes out what tells that it is binary', () => {
  const sanitizer: IOutputSanitizer = {
    sanitize: (raw) => (typeof raw === 'string' ? raw : Buffer.from(raw).toString('utf8')).replace(/[\u0000-\u001f\u007f-\u009f\ufffd]/g, ''),
    isSafeForJSON: () => true,
  };

  it.each<[string, () => Uint8Array | string]>([
    ['bytes', () => random(1_000)],
    ['bytes that somebody has decoded', () => random(2_000).toString('utf8')],
  ])('%s are withheld all the same', (_name, make) => {
    const clean = createPipeline({ context: { sanitizer } });
    expect(() => clean({ content: [{ type: 'text', text: make() }] })).toThrow(expect.objectContaining({ code: 'BINARY_CONTENT' }));
  });
});

describe('through the pipeline', () => {
  const clean = (...texts: readonly (Uint8Array | string)[]) => createPipeline({ maxBytes: 1_000 })({ content: texts.map((text) => ({ type: 'text', text })) });
  const binary = expect.objectContaining({ code: 'BINARY_CONTENT' });

  it('bytes of UTF-16 are judged by their units: nearly every two bytes are some character', () => {
    expect(() => clean(Buffer.from(`\ufeff${'\ue123\uf8f0\ue99a'.repeat(40)}`, 'utf16le'))).toThrow(binary);
  });

  it('bytes are judged by more than what the hard cap leaves of them', () => {
    const left = 100;
    const plain = 'a'.repeat(1_000 + 65_536 - left);
    expect(() => clean(plain, Buffer.concat([Buffer.from('b'.repeat(2 * left)), random(2_000)]))).toThrow(binary);
  });
});
