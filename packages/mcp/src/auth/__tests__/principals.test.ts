import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { idOfToken, isTokenName, mintNamedToken, type NamedToken } from '../named-token.ts';
import { Principals } from '../principals.ts';
import { createToken } from '../token.ts';

const START = Date.parse('2026-07-28T12:00:00Z');

function create(name: string, more: Partial<NamedToken> = {}): { readonly token: string; readonly kept: NamedToken } {
  const { token, id, sha256 } = mintNamedToken();
  return { token, kept: { name, id, sha256, scope: {}, createdAt: '2026-07-28T00:00:00.000Z', ...more } };
}

function open(tokens: readonly NamedToken[], clock = { now: START }) {
  const first = createToken();
  const used: string[] = [];
  const principals = new Principals({ token: first, onUse: (id) => used.push(id), now: () => clock.now });
  principals.update(tokens);
  return { principals, first, used, who: (token: string) => principals.identify(`Bearer ${token}`)?.origin.principal };
}

describe('principals', () => {
  it('are told by their tokens, and each is one object', () => {
    const [ci, laptop] = [create('ci', { scope: { readOnly: true } }), create('laptop', { scope: { interactive: true } })];
    const { principals, first, used, who } = open([ci.kept, laptop.kept]);
    expect([first, ci.token, laptop.token].map(who)).toEqual(['token', 'token:ci', 'token:laptop']);
    expect(used).toEqual([ci.kept.id, laptop.kept.id]);
    const found = principals.identify(`Bearer ${ci.token}`);
    expect(found).toBe(principals.identify(`bearer ${ci.token}`));
    expect(found?.scope.allows({ name: 'x', source: 'y', effects: true })).toBe(false);
    expect(principals.identify(`Bearer ${laptop.token}`)?.scope.interactive).toBe(true);
    expect(principals.count).toBe(3);
  });

  it('are nobody without a token that is kept, whatever it looks like', () => {
    const ci = create('ci');
    const { principals, who, first } = open([ci.kept]);
    const other = mintNamedToken().token;
    const crossed = `${ci.token.slice(0, 18)}${other.slice(18)}`;
    const wrong = ['', 'devs_', ci.kept.id, ci.kept.sha256, ci.token.slice(0, -1), `${ci.token}a`, ci.token.toUpperCase(), other, crossed, `devs_${ci.kept.id}_${first}`, createToken()];
    for (const token of wrong) expect(who(token)).toBeUndefined();
    expect(principals.identify(undefined)).toBeUndefined();
    expect(principals.identify(`Basic ${ci.token}`)).toBeUndefined();
    expect(principals.identify(ci.token)).toBeUndefined();
    // What stands behind a token is not passed over.
    for (const more of [' x', ',x', ' ', '=x', '\tx']) expect(who(`${ci.token}${more}`)).toBeUndefined();
  });

  it('end when they are revoked or changed, and the others stay', () => {
    const [ci, laptop] = [create('ci'), create('laptop')];
    const { principals, who } = open([ci.kept, laptop.kept]);
    const [before, stays] = [ci, laptop].map(({ token }) => principals.identify(`Bearer ${token}`));
    principals.update([{ ...ci.kept, scope: { readOnly: true } }, laptop.kept]);
    expect(before?.ended.aborted).toBe(true);
    expect(principals.identify(`Bearer ${ci.token}`)).not.toBe(before);
    expect(principals.identify(`Bearer ${laptop.token}`)).toBe(stays);
    principals.update([]);
    expect(stays?.ended.aborted).toBe(true);
    expect([ci.token, laptop.token].map(who)).toEqual([undefined, undefined]);
  });

  it('are not who had their name before', () => {
    const [old, next] = [create('ci'), create('ci')];
    const { principals, who } = open([old.kept]);
    const before = principals.identify(`Bearer ${old.token}`);
    principals.update([next.kept]);
    expect(before?.ended.aborted).toBe(true);
    expect([old.token, next.token].map(who)).toEqual([undefined, 'token:ci']);
    expect(principals.identify(`Bearer ${next.token}`)).not.toBe(before);
  });

  it.each([
    ['a time', '2026-07-28T12:00:01.000Z'],
    ['what is no time', 'never'],
  ])('expire by %s, also when they ask for nothing', (_name, expiresAt) => {
    const clock = { now: START };
    const ci = create('ci', { expiresAt });
    const { principals, who } = open([ci.kept], clock);
    const before = principals.identify(`Bearer ${ci.token}`);
    expect(before === undefined).toBe(expiresAt === 'never');
    clock.now = START + 1_000;
    principals.endExpired();
    expect(before?.ended.aborted ?? true).toBe(true);
    expect(who(ci.token)).toBeUndefined();
    clock.now = START;
    expect(who(ci.token)).toBeUndefined();
  });

  it('are everybody where no token is asked for', () => {
    const principals = new Principals({ token: undefined });
    expect(principals.identify(undefined)?.origin).toEqual({ principal: 'unauthenticated', channel: 'http' });
    expect(principals.identify('Bearer x')).toBe(principals.identify(undefined));
  });
});

describe('the form of a token', () => {
  it('is read back, and nothing else is', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 60 }), fc.string({ minLength: 1, maxLength: 2 }), (text, at, piece) => {
        const { token, id } = mintNamedToken();
        expect(idOfToken(token)).toBe(id);
        expect(idOfToken(text)).toBeUndefined();
        // Longer than it is: never taken for one, whatever is put in and where.
        expect(idOfToken(`${token.slice(0, at)}${piece}${token.slice(at)}`)).toBeUndefined();
      }),
    );
  });

  it('never has the same secret or digest twice', () => {
    const minted = Array.from({ length: 200 }, mintNamedToken);
    for (const key of ['id', 'token', 'sha256'] as const) expect(new Set(minted.map((each) => each[key])).size).toBe(200);
    expect(minted.every(({ token, sha256 }) => !token.includes(sha256) && /^devs_[0-9a-f]{12}_[\w-]{43}$/.test(token))).toBe(true);
  });

  it.each([
    ['ci', true],
    ['Anna.laptop-2_x', true],
    ['a'.repeat(64), true],
    ['', false],
    ['-x', false],
    ['a'.repeat(65), false],
    ['a b', false],
    ['ci\n', false],
    ['a:b', false],
    ['../x', false],
    ['é', false],
  ])('of the name %j: %s', (name, isName) => {
    expect(isTokenName(name)).toBe(isName);
  });
});
