import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSigningKey } from '../signing-key.ts';
import { createChain, createHeadPlace, leaf, STORE, type HeadPlace } from './fixtures.ts';

let place: HeadPlace;
beforeEach(() => {
  place = createHeadPlace();
});
afterEach(() => place[Symbol.dispose]());

describe('a keeper without a key', () => {
  it('signs nothing, and is never due', () => {
    const heads = place.keeper({ key: undefined });
    expect(heads.isDue(9_999, Date.now())).toBe(false);
    expect(heads.sign(createChain(5))).toBeUndefined();
    expect(heads.keyId).toBeUndefined();
    expect(heads.examine(createChain(5))).toBeUndefined();
    expect(place.remembered()).toEqual({});
  });

  it('finds a log that is remembered to be signed by somebody', () => {
    place.keeper().sign(createChain(5));
    const heads = place.keeper({ key: undefined });
    expect(heads.examine(createChain(5))).toMatchObject({ what: expect.stringContaining('was signed with another key') });
    expect(() => heads.sign(createChain(9))).toThrow('was signed with another key');
  });
});

describe('knows', () => {
  const headOf = (seq: number, change = {}) => ({ v: 1 as const, store: STORE, seq, leaf: leaf(seq), timestamp: '2026-01-01T00:00:00.000Z', key: place.keeper().keyId ?? '', ...change });

  it.each<[string, number, object, boolean]>([
    ['what it remembers', 5, {}, true],
    ['what came before', 4, {}, true],
    ['not what came after', 6, {}, false],
    ['not what another key signed', 5, { key: 'A'.repeat(43) + '=' }, false],
    ['not what another log holds', 5, { store: 'cd'.repeat(16) }, false],
  ])('%s', (_, seq, change, expected) => {
    place.keeper().sign(createChain(5));
    expect(place.keeper().knows(headOf(seq, change))).toBe(expected);
  });

  it('nothing where nothing is remembered, or it cannot be read', () => {
    openSigningKey(place.keyFile);
    expect(place.keeper().knows(headOf(5))).toBe(false);
    place.keeper().sign(createChain(5));
    for (const name of fs.readdirSync(place.folder)) fs.chmodSync(`${place.folder}/${name}`, 0o644);
    expect(place.keeper().knows(headOf(5))).toBe(false);
  });
});
