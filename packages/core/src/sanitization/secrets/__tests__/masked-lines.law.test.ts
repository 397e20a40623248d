import { expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { cleanNested } from '../../json/clean-nested.ts';
import { Glance } from '../../pipeline/glance.ts';
import { Tally } from '../../pipeline/tally.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark, secrets } from '../secrets-step.ts';
import { WorkBudget } from '../../pipeline/work-budget.ts';
import { random } from './samples.ts';

jest.setTimeout(24 * 60 * 60 * 1_000);

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const steps = [secrets(detector, 't')];
const clean = (text: string) => cleanNested(new Glance(text), steps, new Tally()).text;

const [BEGIN, END] = ['BEGIN', 'END'].map((word) => `-----${word} RSA PRIVATE KEY-----`);
const LINES = Array.from({ length: 12 }, (_, index) => random(64 + index).slice(index));
const TAIL = random(23);
const mark = secretMark('private-key');

const KEYS = [
  [BEGIN, ...LINES, TAIL, END, ''].join('\n'),
  [BEGIN, ...LINES].join('\n'),
  ['PuTTY-User-Key-File-3: ssh-rsa', 'Private-Lines: 12', ...LINES, `Private-MAC: ${'0a'.repeat(32)}`].join('\n'),
];

/** A stream in chunks, the hunks of a search, the cells of a notebook. */
const WAYS: readonly ((pieces: readonly string[]) => unknown)[] = [
  (pieces) => pieces,
  (pieces) => ({ events: pieces.map((data, seq) => ({ seq, type: 'stdout', data })) }),
  (pieces) => ({ matches: pieces.map((text, line) => ({ line, text })), truncated: false }),
];

const chunks = fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...WAYS), fc.array(fc.integer({ min: 200, max: 400 }), { minLength: 5, maxLength: 5 }), fc.constantFrom(0, 2));

it('of a key in the strings of a document no line is shown that is masked in a text', () => {
  fc.assert(
    fc.property(chunks, ([key, toDocument, sizes, indent]) => {
      let from = 0;
      const pieces = [...sizes, key.length].map((size) => key.slice(from, (from += size))).filter(Boolean);
      const cleaned = clean(JSON.stringify(toDocument(pieces), undefined, indent));
      const shown = pieces.flatMap((piece) => piece.split('\n')).filter((line) => /^(?=.*[A-Z])[A-Za-z0-9]{40,}$/.test(line) && cleaned.includes(line));
      expect(shown).toEqual([]);
      expect(clean(cleaned)).toBe(cleaned);
      expect(() => JSON.parse(cleaned)).not.toThrow();
    }),
    lawRuns(300),
  );
});

it.each<[string, string, string]>([
  ['a line behind one that is masked', `${BEGIN}\n${mark}\n«${LINES[0]}\n${LINES[1]}»\nwords of others`, mark],
  ['what is left of a line, behind one', `${BEGIN}\n${mark}", " "«${TAIL}\\n${LINES[1]}»"`, mark],
  ['not the end of a line, behind one', `${BEGIN}\\n${mark}\\n«${LINES[1]}»"`, mark],
  ['the last line, behind one', `${BEGIN}\n${mark}"},{"seq":1,"data":"«${TAIL}»\\n${END}`, mark],
  ['nothing behind another key', `${BEGIN}\n${mark}\n${END}\n${LINES[0]}`, ''],
  ['nothing behind another mark', `${BEGIN}\n${secretMark('github-token')}\n${LINES[0]}`, ''],
  ['nothing behind words', `${BEGIN}\n${mark}\nsome words\nand more\nof them\n${LINES[0]}`, ''],
  ['no short line behind one: words may have been ended by another rule', `${BEGIN}\n${mark}\n${TAIL}\nwords`, ''],
])('of a key that is masked in part: %s', (_, text, by) => {
  expect(clean(text.replaceAll(/[«»]/g, ''))).toBe(text.replace(/«[^»]*»/, by));
});

it('names of a part that is masked stand in rows, and are gone over once', () => {
  const text = `Private-Lines: 9 ${mark} `.repeat(2_000);
  const work = new WorkBudget(Number.MAX_SAFE_INTEGER);
  expect(detector.find(text, { toolName: 't', work })).toEqual([]);
  expect(work.spent).toBeLessThan(24 * text.length);
});

it('a key that another secret goes on behind has the name of that one: behind it no line of the key is looked for', () => {
  const token = `ATATT3${random(60)}----x`;
  const once = clean(`${BEGIN}\n${LINES[0]}\n${token} ${LINES[1]}`);
  expect(once).toBe(`${BEGIN}\n${secretMark('atlassian-token')} ${LINES[1]}`);
  expect(clean(once)).toBe(once);
});

it('a word between two headers is no last line', () => {
  const text = `${BEGIN}\n${mark} RSA PRIVATE KEY-----`;
  expect(clean(text)).toBe(text);
});
