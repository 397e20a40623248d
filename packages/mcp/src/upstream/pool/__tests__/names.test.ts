import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PublicNames, toPublicName } from '../names.ts';

const word = fc.stringMatching(/^[A-Za-z0-9_.-]{1,100}$/);
const namespace = fc.stringMatching(/^[A-Za-z0-9.-]{1,64}$/);

describe('a public name', () => {
  it('is a name, at most 64 characters, and always the same', () => {
    fc.assert(
      fc.property(namespace, word, (space, own) => {
        const name = toPublicName(space, own);
        expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
        expect(toPublicName(space, own)).toBe(name);
      }),
    );
  });

  it('is well formed where it is cut, as prompts may be called anything', () => {
    for (const length of [50, 51, 52, 53, 54, 55]) expect(toPublicName('p', `${'a'.repeat(length)}${'😀'.repeat(20)}`).isWellFormed()).toBe(true);
  });

  it('tells tools apart, also where they are cut', () => {
    fc.assert(
      fc.property(namespace, word, word, (space, one, other) => {
        fc.pre(one !== other);
        expect(toPublicName(space, one)).not.toBe(toPublicName(space, other));
      }),
    );
  });

  it.each([
    ['files', 'read', 'files__read'],
    ['', 'x'.repeat(100), 'x'.repeat(100)],
    ['files', 'x'.repeat(57), `files__${'x'.repeat(57)}`],
    ['files', 'x'.repeat(58), `files__${'x'.repeat(48)}_efd8a93d`],
  ])('of %j and %j', (space, own, expected) => {
    expect(toPublicName(space, own)).toBe(expected);
  });
});

describe('who has a name', () => {
  const names = () => new PublicNames({ namespaces: new Map([['bare', ''], ['plain', ''], ['a', 'a'], ['same', 'a'], ['loud', 'A'], ['ab', 'a__b'], ['dot', 'd_t'], ['line', 'd.t']]), own: ['read_file'] });

  it.each<[string, readonly (readonly [string, string])[], readonly boolean[]]>([
    ['the first in the configuration, whoever comes first', [['x', 'plain'], ['x', 'bare'], ['x', 'plain']], [true, true, false]],
    ['the first with a namespace, whoever is up', [['a__x', 'same'], ['a__y', 'a'], ['a__z', 'same']], [false, true, false]],
    ['the same in other letters', [['A__x', 'loud'], ['a__x', 'loud']], [false, false]],
    ['devs itself', [['read_file', 'bare'], ['READ_FILE', 'bare']], [false, false]],
    ['the server whose namespace it begins with', [['a__x', 'bare'], ['A__x', 'bare'], ['a__b__x', 'a'], ['a__b__x', 'ab'], ['x', 'bare']], [false, false, false, true, true]],
    ['the same where clients show it as the same', [['x.y', 'plain'], ['x_y', 'bare'], ['x.y', 'plain'], ['x-y', 'plain']], [true, true, false, true]],
    ['devs itself, as clients show it', [['read.file', 'bare'], ['Read.File', 'bare']], [false, false]],
    ['the server whose namespace it begins with, as clients show it', [['a._x', 'bare'], ['A.._x', 'bare'], ['a.x', 'bare']], [false, false, true]],
    ['the first with a namespace, as clients show it', [['d_t__x', 'dot'], ['d.t__x', 'line']], [true, false]],
    ['who had it before', [['a__x', 'a'], ['a__x', 'a']], [true, true]],
  ])('%s', (_name, claims, expected) => {
    const all = names();
    expect(claims.map(([name, entry]) => all.claim(name, entry) === undefined)).toEqual(expected);
  });

  it('whoever asks next, once it is given up', () => {
    const all = names();
    all.claim('x', 'bare');
    all.release('x', 'plain');
    expect(all.claim('x', 'plain')).toContain('"bare"');
    all.release('x', 'bare');
    expect(all.claim('x', 'plain')).toBeUndefined();
  });

  it('still, when another of its names is given up that clients show as this one', () => {
    const all = names();
    for (const name of ['x.y', 'x_y']) all.claim(name, 'bare');
    all.release('x.y', 'bare');
    expect([all.ownerOf('x_y'), all.ownerOf('x.y')]).toEqual(['bare', undefined]);
    expect(all.claim('x.y', 'plain')).toContain('"bare"');
    all.release('x_y', 'bare');
    expect(all.claim('x.y', 'plain')).toBeUndefined();
    expect([all.claim('x_y', 'bare'), all.ownerOf('x.y')]).toEqual([undefined, undefined]);
  });

  it('nobody else of the namespace, which the reason names', () => {
    expect(names().claim('a__x', 'same')).toBe('The server "a" stands first in the configuration with this namespace; give this one another.');
    expect(names().claim('a__b__x', 'a')).toBe('The name begins as those of the server "ab" do.');
  });
});
