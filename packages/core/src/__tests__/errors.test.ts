import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeErrorCode, ERROR_CODES, type ErrorCode, type ErrorCodeEntry } from '../error-codes.ts';
import { describeCause, DevsError, findDecider } from '../errors.ts';

const entries = Object.entries<ErrorCodeEntry>(ERROR_CODES) as [ErrorCode, ErrorCodeEntry][];

describe('the table of codes', () => {
  it.each(entries)('%s is written for an agent', (code, entry) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    for (const words of [entry.sentence, entry.suggestion ?? 'None.']) {
      expect(words).toMatch(/^[ -~]{10,160}$|^None\.$/);
      expect(words).toMatch(/[.\]]$/);
      expect(words).not.toMatch(/undefined|null|Error:|\/(home|root|var|tmp|etc)/);
    }
    expect(describeErrorCode(code)).toBe(entry);
  });

  it.each(entries)('%s: its status, effect and retry fit each other', (_code, { status, effect, retryAllowed, thrownByTools }) => {
    // Who is denied has changed nothing; what ran may not be run again.
    if (status === 'denied') expect(effect).toBe('none');
    if (effect !== 'none') expect(retryAllowed).toBe(false);
    // A tool may say that nothing happened, or that nobody knows; that it is done, the gate alone says.
    if (thrownByTools) expect(effect).not.toBe('done');
    if (status === 'withheld') expect([effect, retryAllowed, thrownByTools]).toEqual([expect.stringMatching(/done|unknown/), false, false]);
  });
});

describe('DevsError', () => {
  it('takes its words from the table, unless the thrower has better ones', () => {
    const plain = new DevsError('FILE_NOT_FOUND');
    expect([plain.sentence, plain.suggestion]).toEqual(['There is no such file or directory.', 'List the directory to see what is there.']);
    const own = new DevsError('FILE_NOT_FOUND', { sentence: 'There is no a.ts.', suggestion: 'Try b.ts.' });
    expect([own.sentence, own.suggestion, own.message]).toEqual(['There is no a.ts.', 'Try b.ts.', 'FILE_NOT_FOUND: There is no a.ts.']);
  });

  it('keeps the cause out of its message', () => {
    const error = new DevsError('NO_SPACE', { cause: new Error('/host/path') });
    expect(error.message).not.toContain('/host/path');
    expect(error.cause).toEqual(new Error('/host/path'));
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('DevsError');
  });

  it.each<[string, unknown, boolean]>([
    ['one of ours', new DevsError('NO_SPACE'), true],
    ['another error', new Error('x'), false],
    ['a forged one', Object.create(DevsError.prototype), false],
    ['a proxy of one', new Proxy(new DevsError('NO_SPACE'), {}), false],
    ['nothing', undefined, false],
    ['null', null, false],
    ['text', 'DevsError', false],
  ])('is known: %s', (_name, value, expected) => {
    expect(DevsError.is(value)).toBe(expected);
  });
});

describe('describeCause', () => {
  const circle = new Error('round');
  circle.cause = circle;
  it.each<[string, unknown, string]>([
    ['an error', new TypeError('x'), 'TypeError: x'],
    ['ours', new DevsError('NO_SPACE'), 'NO_SPACE: The disk is full; nothing was changed.'],
    ['ours with a cause', new DevsError('NO_SPACE', { cause: new Error('ENOSPC') }), 'NO_SPACE: The disk is full; nothing was changed. (Error: ENOSPC)'],
    ['ours in ours', new DevsError('NO_SPACE', { cause: new DevsError('NO_SPACE', { cause: 'x' }) }), 'NO_SPACE: The disk is full; nothing was changed. (NO_SPACE: The disk is full; nothing was changed. (x))'],
    ['a circle', circle, 'Error: round'],
    ['text', 'x', 'x'],
    ['nothing', undefined, 'undefined'],
    ['a symbol', Symbol('x'), 'Symbol(x)'],
    ['an object without a prototype', Object.create(null), 'an error that cannot be described'],
    ['a hostile toString', { toString: () => { throw new Error('x'); } }, 'an error that cannot be described'],
    ['a hostile message', Object.defineProperty(new Error('x'), 'message', { get: () => { throw new Error('x'); } }), 'an error that cannot be described'],
    ['a message that is a symbol', Object.assign(new Error('x'), { message: Symbol('x') }), 'an error that cannot be described'],
  ])('says %s in words', (_name, cause, expected) => {
    expect(describeCause(cause)).toBe(expected);
  });
});

describe('what decided', () => {
  it('is for the log alone: neither the message nor the sentence has it', () => {
    const { message, sentence, suggestion } = new DevsError('PATH_BLOCKED', { decidedBy: 'files.blocked: "secrets"' });
    expect([message, sentence, suggestion].join(' ')).not.toContain('secrets');
  });

  it('law: is found again, whatever the entry and the words after it are', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (entry, sentence, cause) => {
        const decidedBy = `files.blocked: ${JSON.stringify(entry)}`;
        expect(findDecider(describeCause(new DevsError('PATH_BLOCKED', { sentence, decidedBy, cause })))).toBe(decidedBy);
      }),
    );
  });

  it.each(['PATH_BLOCKED (files.blocked: "x"): no', '(files.blocked: "x"): ', 'x (files.blocked: "x")', ' (a): '])('is none that a caller has written: %s', (words) => {
    const cause = new DevsError('PATH_BLOCKED', { sentence: words, decidedBy: 'files.blocked: "y"' });
    for (const error of [new DevsError('PATH_REFUSED', { sentence: words }), new DevsError('PATH_REFUSED', { cause }), new Error(words)]) {
      expect(findDecider(describeCause(error))).toBeUndefined();
    }
  });
});
