import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
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
    ['a string is told by its NULs alone', '%PDF-1.4 and what a program printed of it'],
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
