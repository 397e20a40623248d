import { describe, expect, test } from '@jest/globals';
import { DevsError, encodingOf, type ByteRange } from '@devs/core';
import fc from 'fast-check';
import { planEdit } from '../surgical-edit/plan-edit.ts';
import { alterationsOf, fakeView } from './fake-view.ts';

const MARK = '[REDACTED:secret:test]';
const HIDDEN = '\u200b';

interface Wish {
  readonly wanted: string;
  readonly by: string;
  readonly expected?: number;
}

function edit(content: string | Uint8Array, { wanted, by, expected = 1 }: Wish) {
  return planEdit(Buffer.from(content), { wanted, by, expected }, fakeView);
}

function edited(content: string, wish: Wish): string {
  return Buffer.from(edit(content, wish).content).toString();
}

describe('what is replaced keeps what is behind what stays', () => {
  test.each<[string, string, Wish, string]>([
    ['beside a secret', 'key=SECRET1;a\r\n', { wanted: 'a', by: 'b' }, 'key=SECRET1;b\r\n'],
    ['around a secret', 'key=SECRET1\n', { wanted: `key=${MARK}`, by: `name: "${MARK}"` }, 'name: "SECRET1"\n'],
    ['a secret is deleted whole', 'key=SECRET1;a\n', { wanted: `key=${MARK};`, by: '' }, 'a\n'],
    ['a secret is moved', 'key=SECRET1\nb\n', { wanted: `key=${MARK}\nb\n`, by: `b\nkey=${MARK}\n` }, 'b\nkey=SECRET1\n'],
    ['spaces between marks', 'SECRET1;SECRET2', { wanted: `${MARK};${MARK}`, by: `;${MARK};\n${MARK}` }, ';SECRET1;\nSECRET2'],
    ['lines with secrets change places', 'A=SECRET1\nB=SECRET2\n', { wanted: `A=${MARK}\nB=${MARK}`, by: `B=${MARK}\nA=${MARK}` }, 'B=SECRET2\nA=SECRET1\n'],
    ['one of them goes', 'A=SECRET1\nB=SECRET2\n', { wanted: `A=${MARK}\nB=${MARK}\n`, by: `B=${MARK}\n` }, 'B=SECRET2\n'],
    ['one of them gets another name', 'A=SECRET1\nB=SECRET2\n', { wanted: `A=${MARK}\nB=${MARK}\n`, by: `A=${MARK}\nC=${MARK}\n` }, 'A=SECRET1\nC=SECRET2\n'],
    ['lines with secrets become a comment', 'A=SECRET1\nB=SECRET2\n', { wanted: `A=${MARK}\nB=${MARK}\n`, by: `# A=${MARK}\n# B=${MARK}\n` }, '# A=SECRET1\n# B=SECRET2\n'],
    ['sections change places', 'x:\n  p: SECRET1\ny:\n  p: SECRET2\n', { wanted: `x:\n  p: ${MARK}\ny:\n  p: ${MARK}`, by: `y:\n  p: ${MARK}\nx:\n  p: ${MARK}` }, 'y:\n  p: SECRET2\nx:\n  p: SECRET1\n'],
    ['between two of the same name', 'p: SECRET1\nport: 1\np: SECRET2\n', { wanted: `p: ${MARK}\nport: 1\np: ${MARK}`, by: `p: ${MARK}\nport: 2\np: ${MARK}` }, 'p: SECRET1\nport: 2\np: SECRET2\n'],
    ['several times, other secrets', 'k=SECRET1\nk=SECRET22\n', { wanted: `k=${MARK}`, by: `key=${MARK}`, expected: 2 }, 'key=SECRET1\nkey=SECRET22\n'],
    ['what is not shown stays', `a${HIDDEN}b${HIDDEN}c`, { wanted: 'abc', by: 'abXc' }, `a${HIDDEN}b${HIDDEN}Xc`],
    ['what is not shown in what goes, goes', `a${HIDDEN}b${HIDDEN}c`, { wanted: 'abc', by: 'x' }, 'x'],
    ['what is not shown at the edges stays', `a${HIDDEN}b${HIDDEN}c`, { wanted: 'b', by: 'x' }, `a${HIDDEN}x${HIDDEN}c`],
    ['the agent wrote what is not shown', `a${HIDDEN}b\n`, { wanted: `a${HIDDEN}b`, by: `a${HIDDEN}c` }, `a${HIDDEN}c\n`],
    ['it wrote it elsewhere', `a${HIDDEN}b\n`, { wanted: `ab${HIDDEN}\n`, by: 'ac\n' }, `a${HIDDEN}c\n`],
    ['it takes it out', `a${HIDDEN}b\n`, { wanted: `a${HIDDEN}b`, by: 'ab' }, 'ab\n'],
    ['half of a pair of units', `${HIDDEN}x😀y`, { wanted: 'x😀y', by: 'x😁y' }, `${HIDDEN}x😁y`],
    ['half of a pair beside what is not shown', `x${HIDDEN}😀y`, { wanted: 'x😀y', by: 'x😁y' }, `x${HIDDEN}😁y`],
    ['a mark that the file holds in so many words', `see ${MARK}\n`, { wanted: 'see', by: `see ${MARK} and` }, `see ${MARK} and ${MARK}\n`],
    ['it is text beside a secret too', `A=SECRET1\nB=${MARK}\n`, { wanted: `A=${MARK}\nB=${MARK}\n`, by: `A=${MARK}\nC=${MARK}\n` }, `A=SECRET1\nC=${MARK}\n`],
    ['what reads like a part of a mark', 'secret=SECRET1', { wanted: 'secret', by: 'password' }, 'password=SECRET1'],
  ])('%s', (_, content, wish, expected) => {
    expect(edited(content, wish)).toBe(expected);
  });

  test('bytes that are no text stay, move and go as the marks in their place do', () => {
    const content = Buffer.from('caf\xe9 na\xefve \xfcber', 'latin1');
    const after = (wanted: string, by: string) => Buffer.from(edit(content, { wanted, by, expected: 1 }).content).toString('latin1');
    expect(after('caf\ufffd na\ufffdve', 'caf\ufffd, na\ufffdve!')).toBe('caf\xe9, na\xefve! \xfcber');
    expect(after('caf\ufffd na\ufffdve', 'na\ufffdve caf\ufffd')).toBe('na\xefve caf\xe9 \xfcber');
    expect(after('caf\ufffd na\ufffdve ', 'tea ')).toBe('tea \xfcber');
  });

  test('line ends that are not touched stay, whatever they are', () => {
    expect(edited(`a\r\n${HIDDEN}b\nc\r\n`, { wanted: 'a\r\nb\nc\r\n', by: 'a\r\nB\nc\r\n' })).toBe(`a\r\n${HIDDEN}B\nc\r\n`);
  });
});

describe('what goes is said', () => {
  test.each<[string, string, Wish, number]>([
    ['none', 'k=SECRET1\na', { wanted: 'a', by: 'b' }, 0],
    ['one, with its line', 'k=SECRET1\na', { wanted: `k=${MARK}\n`, by: '' }, 1],
    ['one of two', 'k=SECRET1\nl=SECRET2\n', { wanted: `k=${MARK}\nl=${MARK}\n`, by: `l=${MARK}\n` }, 1],
    ['none: it is moved', 'k=SECRET1\nb\n', { wanted: `k=${MARK}\nb\n`, by: `b\nk=${MARK}\n` }, 0],
    ['one, the word of the file stays', 'redacted=SECRET1', { wanted: `redacted=${MARK}`, by: 'redacted=' }, 1],
    ['a name that is changed with what it names', 'pass:XYZ1', { wanted: `pass:${MARK}`, by: 'word:' }, 1],
  ])('%s', (_, content, wish, removed) => {
    expect(edit(content, wish).removed).toBe(removed);
  });
});

describe('refused, and nothing is changed', () => {
  test.each<[string, string, Wish, string, string]>([
    ['a mark from elsewhere', 'a SECRET1', { wanted: 'a', by: MARK }, 'REDACTED_IN_WRITE', `newText holds ${MARK}`],
    ['a mark into a file without one', 'a', { wanted: 'a', by: '[REDACTED:tag]' }, 'REDACTED_IN_WRITE', 'newText holds [REDACTED:tag]'],
    ['a mark more than there was', 'k=SECRET1', { wanted: MARK, by: `${MARK} ${MARK}` }, 'REDACTED_IN_WRITE', `newText holds ${MARK}`],
    ['bytes from elsewhere', '\xff a', { wanted: 'a', by: '\ufffd' }, 'REDACTED_IN_WRITE', 'newText holds \ufffd'],
    ['the first or the second', 'k=SECRET1\nk=SECRET2', { wanted: `k=${MARK}\nk=${MARK}`, by: `k=${MARK}` }, 'EDIT_REFUSED', 'it is not clear which'],
    ['of a list, one less', '"SECRET1","SECRET2"', { wanted: `"${MARK}","${MARK}"`, by: `"${MARK}"` }, 'EDIT_REFUSED', 'smaller edits'],
    ['both with other names', 'A=SECRET1\nB=SECRET2', { wanted: `A=${MARK}\nB=${MARK}`, by: `C=${MARK}\nD=${MARK}` }, 'EDIT_REFUSED', 'it is not clear which'],
    ['entries told apart only by what follows', '- p: SECRET1\n  n: x\n- p: SECRET2\n  n: y\n', { wanted: `- p: ${MARK}\n  n: x\n- p: ${MARK}\n  n: y\n`, by: `- p: ${MARK}\n  n: y\n- p: ${MARK}\n  n: x\n` }, 'EDIT_REFUSED', 'it is not clear which'],
    ['a name goes on to the next', 'KEY=SECRET1\nOLD=SECRET2\n', { wanted: `KEY=${MARK}\nOLD=${MARK}\n`, by: `NEW=${MARK}\nKEY=${MARK}\n` }, 'EDIT_REFUSED', 'it is not clear which'],
    ['told apart by punctuation alone', 'SECRET1;SECRET2;', { wanted: `${MARK};${MARK};`, by: `;${MARK};\n${MARK};` }, 'EDIT_REFUSED', 'it is not clear which'],
    ['through a mark, from the left', 'k=SECRET1;', { wanted: 'k=[REDACTED', by: '' }, 'EDIT_REFUSED', 'oldText begins or ends inside a mark'],
    ['through a mark, from the right', 'k=SECRET1;', { wanted: 'test];', by: '' }, 'EDIT_REFUSED', 'Take in the whole mark'],
    ['inside a mark', 'k=SECRET1;', { wanted: 'secret', by: 'x' }, 'EDIT_REFUSED', 'inside a mark'],
    ['a secret for its mark', 'key=SECRET12', { wanted: 'key=SECRET5', by: 'x' }, 'EDIT_REFUSED', `oldText holds what is shown as ${MARK}. Give it as read_file shows it.`],
    ['the end of a mark, with what is not shown', 'k=SECRET1;', { wanted: `test];${HIDDEN}`, by: '' }, 'EDIT_REFUSED', 'oldText begins or ends inside a mark'],
    ['nothing that is seen', `a${HIDDEN}b`, { wanted: `ab${HIDDEN}`, by: 'ab' }, 'EDIT_REFUSED', 'newText is oldText'],
  ])('%s', (_, content, wish, code, problem) => {
    const bytes = Buffer.from(content, content.includes('\xff') ? 'latin1' : 'utf8');
    expect(() => edit(bytes, wish)).toThrow(expect.objectContaining({ code, sentence: expect.stringContaining(problem) }));
  });

  test.each<[string, string, Wish]>([
    ['its name is changed', 'a\npass:XYZ1 b', { wanted: 'pass:', by: 'word:' }],
    ['its name goes', 'a\npass:XYZ1 b', { wanted: 'pass:', by: '' }],
    ['a letter comes between', 'a\npass:XYZ1 b', { wanted: `pass:${MARK}`, by: `pass: ${MARK}` }],
    ['it is moved away from it', 'a\npass:XYZ1 b', { wanted: `pass:${MARK} b`, by: `pass: b${MARK}` }],
    ['it is moved behind a text', 'a\npass:XYZ1 and a longer text', { wanted: `pass:${MARK} and a longer text`, by: ` and a longer text ${MARK}` }],
  ])('a secret would be shown from then on, since %s', (_, content, wish) => {
    expect(() => edit(content, wish)).toThrow(
      expect.objectContaining({ code: 'EDIT_REFUSED', sentence: expect.stringMatching(/\[REDACTED:secret:test\] at line 2 would not stand for exactly what/) }),
    );
  });

  test('a mark would stand for the same, and by another rule', () => {
    const view = (bytes: Uint8Array) => {
      const shown = fakeView(bytes);
      return Buffer.from(bytes).includes('other') ? { ...shown, text: shown.text.replaceAll(':test]', ':else]') } : shown;
    };
    const wish = { wanted: `key=${MARK}`, by: `other=${MARK}`, expected: 1 };
    expect(() => planEdit(Buffer.from('key=SECRET1'), wish, view)).toThrow(expect.objectContaining({ code: 'EDIT_REFUSED' }));
  });

  test('a piece of a file is looked at in the encoding of the file', () => {
    const pieces: string[] = [];
    const view = (bytes: Uint8Array) => {
      pieces.push(encodingOf(bytes));
      const text = Buffer.from(bytes).toString('utf16le');
      const shown = fakeView(Buffer.from(text, 'latin1'));
      const wide = ({ start, end }: ByteRange) => ({ start: 2 * start, end: 2 * end });
      const alterationsIn = (start: number, end: number) => [...shown.alterationsIn(start, end)].map((one) => ({ ...one, source: wide(one.source) }));
      return { ...shown, alterationsIn, sourceOf: (start: number, end: number) => wide(shown.sourceOf(start, end)), encode: (by: string) => Buffer.from(by, 'utf16le') };
    };
    for (const lead of ['\xff', '\xff!']) {
      pieces.length = 0;
      const content = Buffer.from(`${lead}${'x\n'.repeat(5_000)}SECRET1\na\n`, 'utf16le');
      content.set([0xff, 0xfe]);
      expect(planEdit(content, { wanted: 'a\n', by: 'b\n', expected: 1 }, view).content).toHaveLength(content.length);
      expect(pieces.length).toBeGreaterThan(30);
      expect(new Set(pieces.filter((_, index) => index !== 1))).toEqual(new Set(['utf-16le']));
    }
  });

  test('places that are further apart than can be looked at with other secrets in them', () => {
    const content = `a\nSECRET1\n${'x\n'.repeat(135_000)}SECRET2\na\n`;
    expect(() => edit(content, { wanted: 'a\n', by: 'b\n', expected: 2 })).toThrow(expect.objectContaining({ sentence: expect.stringContaining('Make smaller edits') }));
    expect(edited(content, { wanted: 'SECRET2\na'.replace('SECRET2', MARK), by: `${MARK}\nb` })).toBe(content.replace('SECRET2\na', 'SECRET2\nb'));
    const far = `a\n${'x\n'.repeat(135_000)}SECRET2\na\n`;
    expect(edited(far, { wanted: 'a\n', by: 'b\n', expected: 2 })).toBe(far.replaceAll('a\n', 'b\n'));
  });

  test.each(['[REDACTED]', '[REDACTED:test]', '[redacted:secret:test]', '<REDACTED:secret:test>', '\\[REDACTED:secret:test\\]', '[REDACTED:secret:test', '［ＲＥＤＡＣＴＥＤ］'])(
    'what only reads like the mark: %s',
    (nearly) => {
      const wish = { wanted: `a\nk=${MARK}`, by: `b\nk=${nearly}` };
      expect(() => edit('a\nk=SECRET1', wish)).toThrow(expect.objectContaining({ code: 'REDACTED_IN_WRITE', sentence: expect.stringContaining(MARK) }));
    },
  );

  test('a place inside a mark is none, and does not hide the one that lies over it', () => {
    expect(edited('SECRET1]]', { wanted: ']]', by: '' })).toBe('SECRET1');
    expect(edited('test SECRET1', { wanted: 'test', by: 'x' })).toBe('x SECRET1');
  });

  test.each(['SECRET1', 'SECRET12', 'SECRET2', 'SECRET', 'key=SECRET1', 'ECRET1', 'T12', `SEC${HIDDEN}RET12`])(
    'a secret cannot be guessed: %s tells no more than any other text that is not there',
    (wanted) => {
      const problemOf = (content: string) => {
        try {
          return String(edit(content, { wanted, by: 'x' }).content);
        } catch (error) {
          return error;
        }
      };
      expect(problemOf('key=SECRET12\n')).toEqual(problemOf('key=SECRET9999\n'));
    },
  );

  test('a file that takes too long to look through, now or once it is edited', () => {
    const view = (bytes: Uint8Array) => {
      if (Buffer.from(bytes).includes('slow')) throw new DevsError('OUTPUT_WITHHELD');
      return fakeView(bytes);
    };
    const problem = (content: string) => expect.objectContaining({ code: 'EDIT_REFUSED', sentence: expect.stringMatching(`${content}.* long to look through for secrets`) });
    expect(() => planEdit(Buffer.from('slow'), { wanted: 's', by: 'x', expected: 1 }, view)).toThrow(problem('the file'));
    expect(() => planEdit(Buffer.from('SECRET1 lo'), { wanted: 'lo', by: 'slow', expected: 1 }, view)).toThrow(problem('with newText'));
  });

  test('too much with something altered in it', () => {
    const content = `SECRET1 ${'x'.repeat(100)}\n`.repeat(2_000);
    const wish = { wanted: `${MARK} ${'x'.repeat(100)}`, by: `${MARK} ${'y'.repeat(10_000)}`, expected: 2_000 };
    expect(() => edit(content, wish)).toThrow(expect.objectContaining({ sentence: expect.stringContaining('too many places') }));
  });
});

test('the diff is made of what is shown', () => {
  const { replacement } = edit(`A=SECRET1\n${HIDDEN}b\n`, { wanted: `A=${MARK}\nb`, by: `A=${MARK}\nc` });
  expect(replacement).toEqual({ text: `A=${MARK}\nb\n`, offsets: [0], wanted: `A=${MARK}\nb`, by: `A=${MARK}\nc` });
});

describe('laws', () => {
  const piece = fc.constantFrom('a', 'b', 'key=', ' ', '\n', '\r\n', 'é', '😀', 'SECRET1', 'SECRET22', HIDDEN, '\xff', '\xfe', MARK, ';');
  /** U+00FF and U+00FE stand for the bytes themselves. */
  const file = fc.array(piece, { minLength: 1, maxLength: 25 }).map((pieces) =>
    Buffer.concat(pieces.map((text) => (/^[\xfe\xff]$/.test(text) ? Buffer.from(text, 'latin1') : Buffer.from(text)))),
  );
  const part = fc.record({ file, from: fc.nat(200), length: fc.nat(60), by: fc.array(fc.constantFrom('a', 'x', '\n', ' ', 'é', ';'), { maxLength: 5 }) });

  /** The edges of a piece of the view that cut through nothing. */
  function edgesOf(bytes: Uint8Array, from: number, length: number): readonly [number, number] {
    const view = fakeView(bytes);
    const { text } = view;
    const alterations = alterationsOf(view);
    const isEdge = (unit: number) =>
      alterations.every(({ start, end }) => unit <= start || unit >= end) && text.slice(0, unit).isWellFormed() && text.slice(unit).isWellFormed();
    const edges = [...Array(text.length + 1).keys()].filter(isEdge);
    const first = edges[from % edges.length] ?? 0;
    return [first, edges.filter((edge) => edge >= first && edge <= first + length).at(-1) ?? first];
  }

  /** What a piece of the view becomes, with all its marks in their places and text put in between. */
  function rewritten(text: string, by: readonly string[]): string {
    return text.split(MARK).map((plain, index) => `${plain}${by[index] ?? ''}`).join(MARK);
  }

  test('bytes outside the edit are the same, and what the agent is shown is the edit', () => {
    fc.assert(
      fc.property(part, ({ file: bytes, from, length, by }) => {
        const view = fakeView(bytes);
        const [start, end] = edgesOf(bytes, from, length);
        const wanted = view.text.slice(start, end);
        const insert = rewritten(wanted, by);
        fc.pre(wanted !== '' && insert !== wanted && isOnce(view.text, wanted));
        const after = attempt(bytes, { wanted, by: insert });
        fc.pre(after !== undefined);
        const source = view.sourceOf(start, end);
        expect(after.subarray(0, source.start)).toEqual(bytes.subarray(0, source.start));
        expect(after.subarray(after.length - (bytes.length - source.end))).toEqual(bytes.subarray(source.end));
        expect(hiddenIn(after)).toEqual(hiddenIn(bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  test('an edit that adds, and is undone, gives the same bytes', () => {
    fc.assert(
      fc.property(part, ({ file: bytes, from, length, by }) => {
        const view = fakeView(bytes);
        const wanted = view.text.slice(...edgesOf(bytes, from, length));
        const insert = rewritten(wanted, by.map((text) => `<${text}>`));
        fc.pre(wanted !== '' && insert !== wanted && isOnce(view.text, wanted));
        const after = attempt(bytes, { wanted, by: insert });
        fc.pre(after !== undefined && fakeView(after).text === view.text.replace(wanted, () => insert));
        fc.pre(isOnce(fakeView(after).text, insert));
        expect(attempt(after, { wanted: insert, by: wanted })).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  test('what was masked is masked, or gone', () => {
    const secret = fc.constantFrom('pass:XYZ1', 'pass:XYZ2 ', 'SECRET1', 'pass:', ':', 's', ' ', '\n', HIDDEN, 'a');
    const wish = fc.record({ from: fc.nat(60), length: fc.nat(60), cut: fc.nat(60), cutLength: fc.nat(12), by: fc.constantFrom('', ' ', 'a', ':', 'pass:', '\n') });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 12 }), wish, (pieces, { from, length, cut, cutLength, by }) => {
        const bytes = Buffer.from(pieces.join(''));
        const shown = fakeView(bytes).text;
        const wanted = shown.slice(...edgesOf(bytes, from, length));
        const insert = wanted.slice(0, cut) + by + wanted.slice(cut + cutLength);
        fc.pre(wanted !== '' && isOnce(shown, wanted));
        const after = attempt(bytes, { wanted, by: insert });
        fc.pre(after !== undefined);
        expect(countOf('XYZ', fakeView(after).text)).toBeLessThanOrEqual(countOf('XYZ', shown));
      }),
      { numRuns: 5_000 },
    );
  });

  function countOf(text: string, all: string): number {
    return all.split(text).length - 1;
  }

  /** Not over itself either. */
  function isOnce(text: string, wanted: string): boolean {
    return text.indexOf(wanted) === text.lastIndexOf(wanted);
  }

  function attempt(bytes: Uint8Array, wish: Wish): Buffer | undefined {
    try {
      return Buffer.from(edit(bytes, wish).content);
    } catch {
      return undefined;
    }
  }

  /** All that the view does not show as it is, in order. */
  function hiddenIn(bytes: Uint8Array): string[] {
    return alterationsOf(fakeView(bytes)).map(({ source }) => Buffer.from(bytes).toString('latin1', source.start, source.end));
  }
});
