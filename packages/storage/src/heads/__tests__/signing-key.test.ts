import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createTempFolder, outputOf, startChild } from '../../__tests__/fixtures.ts';
import { openSigningKey, readSigningKey } from '../signing-key.ts';
import { createHeadPlace } from './fixtures.ts';

describe('the signing key', () => {
  it('is made once, in PKCS#8, for its owner alone, and nothing is left beside it', () => {
    using place = createHeadPlace();
    const made = openSigningKey(place.keyFile);
    expect(openSigningKey(place.keyFile).id).toBe(made.id);
    expect(readSigningKey(place.keyFile)?.id).toBe(made.id);
    expect(fs.statSync(place.keyFile).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(path.dirname(place.keyFile))).toEqual(['log-signing.key']);
    expect(fs.statSync(path.dirname(place.keyFile)).mode & 0o777).toBe(0o700);
    expect(createPrivateKey(fs.readFileSync(place.keyFile, 'utf8')).asymmetricKeyType).toBe('ed25519');
  });

  it('is not made by looking', () => {
    using place = createHeadPlace();
    expect(readSigningKey(place.keyFile)).toBeUndefined();
    expect(fs.existsSync(path.dirname(place.keyFile))).toBe(false);
  });

  it('is one, whoever comes first of several processes', async () => {
    using temp = createTempFolder();
    const children = Array.from({ length: 4 }, () => startChild('../heads/__tests__/child-key.ts', temp.path, '40'));
    const [first, ...others] = await Promise.all(children.map(outputOf));
    expect(first?.trim().split('\n')).toHaveLength(40);
    for (const printed of others) expect(printed).toBe(first);
    expect(new Set(first?.trim().split('\n')).size).toBe(40);
  });

  it.each<[string, (file: string) => void, string]>([
    ['others can read it', (file) => fs.chmodSync(file, 0o644), 'is accessible to other users'],
    ['others can write it', (file) => fs.chmodSync(file, 0o620), 'is accessible to other users'],
    ['it is cut off', (file) => fs.truncateSync(file, 40), 'contains no key'],
    ['it is empty', (file) => fs.truncateSync(file, 0), 'contains no key'],
    ['it is huge', (file) => fs.appendFileSync(file, Buffer.alloc(100_000)), 'is larger than'],
    [
      'it is of another kind',
      (file) => fs.writeFileSync(file, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })),
      'contains no key',
    ],
    [
      'it is a link',
      (file) => {
        fs.renameSync(file, `${file}.real`);
        fs.symlinkSync(`${file}.real`, file);
      },
      'is a symbolic link',
    ],
    [
      'it is a folder',
      (file) => {
        fs.rmSync(file);
        fs.mkdirSync(file, { mode: 0o700 });
      },
      'is not a regular file',
    ],
    ['others can write the folder', (file) => fs.chmodSync(path.dirname(file), 0o777), 'can be written by other users'],
  ])('is refused when %s, and never made anew in its place', (_name, change, said) => {
    using place = createHeadPlace();
    openSigningKey(place.keyFile);
    change(place.keyFile);
    const before = fs.lstatSync(place.keyFile);
    expect(() => openSigningKey(place.keyFile)).toThrow(said);
    expect(fs.lstatSync(place.keyFile).ino).toBe(before.ino);
  });

  it('names no folder in what an agent may read', () => {
    using place = createHeadPlace();
    openSigningKey(place.keyFile);
    fs.chmodSync(place.keyFile, 0o644);
    expect(() => openSigningKey(place.keyFile)).toThrow(expect.objectContaining({ code: 'STATE_UNUSABLE', sentence: expect.not.stringContaining(place.path) }));
  });
});
