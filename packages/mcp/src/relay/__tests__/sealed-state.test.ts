import { describe, expect, it, test } from '@jest/globals';
import { DevsError } from '@devs/core';
import fc from 'fast-check';
import { SealedState, type StateBinding } from '../sealed-state.ts';

const BINDING: StateBinding = { server: 'files', name: 'files__read', args: { path: 'a' }, client: 'client-1' };

function refusal(action: () => unknown): string {
  try {
    action();
  } catch (cause) {
    if (DevsError.is(cause)) return cause.code;
    throw cause;
  }
  return 'taken';
}

describe('a sealed state', () => {
  test('comes back as it went, whatever the server wrote, and is never to be read', () => {
    const seal = new SealedState();
    fc.assert(
      fc.property(fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined }), (state) => {
        const sealed = seal.seal(state?.toWellFormed(), BINDING);
        expect(sealed).toMatch(/^[\w-]+$/);
        expect(seal.open(sealed, BINDING)).toBe(state?.toWellFormed());
        if (state !== undefined && state.length > 12) expect(Buffer.from(sealed, 'base64url').includes(state)).toBe(false);
      }),
    );
  });

  it.each<[string, Partial<StateBinding>]>([
    ['another server', { server: 'other' }],
    ['another tool', { name: 'files__write' }],
    ['other arguments', { args: { path: 'b' } }],
    ['another client', { client: 'client-2' }],
  ])('is refused for %s', (_what, other) => {
    const seal = new SealedState();
    const sealed = seal.seal('step-2', BINDING);
    expect(refusal(() => seal.open(sealed, { ...BINDING, ...other }))).toBe('INPUT_STATE_REFUSED');
    expect(refusal(() => seal.open(sealed, BINDING))).toBe('taken');
  });

  test('is refused when any character of it was changed, or when it was written another way', () => {
    const seal = new SealedState();
    const sealed = seal.seal('step-2', BINDING);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = `${sealed.slice(0, index)}${sealed[index] === 'A' ? 'B' : 'A'}${sealed.slice(index + 1)}`;
      expect(refusal(() => seal.open(changed, BINDING))).toBe('INPUT_STATE_REFUSED');
    }
    for (const other of [`${sealed}=`, ` ${sealed}`, sealed.slice(0, -1), '', undefined, null, 7, {}, [sealed]]) {
      expect(refusal(() => seal.open(other, BINDING))).toBe('INPUT_STATE_REFUSED');
    }
  });

  test('is good for an hour, and for the devs that gave it', () => {
    let now = 0;
    const key = new Uint8Array(32).fill(7);
    const seal = new SealedState({ key, now: () => now });
    const sealed = seal.seal('step-2', BINDING);
    now = 3_600_000;
    expect(seal.open(sealed, BINDING)).toBe('step-2');
    now += 1;
    expect(refusal(() => seal.open(sealed, BINDING))).toBe('INPUT_STATE_REFUSED');
    expect(refusal(() => new SealedState().open(sealed, BINDING))).toBe('INPUT_STATE_REFUSED');
  });

  test('is none for a server that wants the client to carry a book', () => {
    expect(refusal(() => new SealedState().seal('x'.repeat(32_769), BINDING))).toBe('UPSTREAM_ANSWER_REFUSED');
  });
});
