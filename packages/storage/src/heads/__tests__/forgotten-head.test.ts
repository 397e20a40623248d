import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { signHead, type SignedHead } from '../signed-head.ts';
import { openSigningKey } from '../signing-key.ts';
import { createChain, createHeadPlace, createSigner, leaf, STORE, type FakeChain, type HeadPlace } from './fixtures.ts';

const AT = new Date('2026-01-02T03:04:05.678Z');

/** A chain of nine records that says of itself what was signed of it. */
function createCarrying(...heads: readonly SignedHead[]): FakeChain {
  return Object.assign(createChain(9), { heads: [...heads] });
}

function sign(signer: Parameters<typeof signHead>[1], change: { readonly seq?: number; readonly store?: string } = {}): SignedHead {
  const { seq = 5, store = STORE } = change;
  return signHead({ store, seq, leaf: leaf(seq) }, signer, AT);
}

const ownKey = ({ keyFile }: HeadPlace) => openSigningKey(keyFile);

describe('a log of which nothing is remembered', () => {
  it('is refused when it carries a head of this very key, wherever that stands among others', () => {
    using place = createHeadPlace();
    const chain = createCarrying(sign(createSigner(), { seq: 8 }), sign(ownKey(place)), sign(ownKey(place), { seq: 2 }));
    const said = 'the log says that it was signed up to record 5 here';
    expect(place.keeper().examine(chain)).toEqual({ what: expect.stringContaining(said), from: null });
    expect(() => place.keeper().check(chain)).toThrow(said);
    expect(() => place.keeper().sign(chain)).toThrow(said);
    expect(place.remembered()).toEqual({});
  });

  it.each<[string, (place: HeadPlace) => readonly SignedHead[]]>([
    ['none', () => []],
    ['one of another key: it was signed somewhere else', () => [sign(createSigner())]],
    ['one of another log', (place) => [sign(ownKey(place), { store: 'cd'.repeat(16) })]],
  ])('is taken for new when it carries %s', (_name, heads) => {
    using place = createHeadPlace();
    const chain = createCarrying(...heads(place));
    place.keeper().check(chain);
    expect(place.keeper().sign(chain)).toBeDefined();
  });

  it('is refused also where the signature does not fit: devs has not written that', () => {
    using place = createHeadPlace();
    const chain = createCarrying({ ...sign(ownKey(place)), signature: sign(ownKey(place), { seq: 4 }).signature });
    expect(() => place.keeper().check(chain)).toThrow('the log says that it was signed up to record 5 here');
  });

  it('is taken for new where there is no key yet', () => {
    using place = createHeadPlace();
    expect(place.keeper({ key: undefined }).examine(createCarrying(sign(createSigner())))).toBeUndefined();
  });

  it('is signed just now by another process', () => {
    using place = createHeadPlace();
    const chain = createChain(9);
    const carried = () => {
      const signed = place.keeper().sign(createChain(7));
      return signed === undefined ? [] : [signed];
    };
    expect(place.keeper().examine(Object.assign(chain, { carried }))).toBeUndefined();
    expect(fs.readdirSync(place.folder)).toHaveLength(2);
  });
});
