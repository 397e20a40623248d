import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { countWork } from '../../__tests__/counted-work.ts';
import { Seams } from '../../pipeline/seams.ts';
import type { Look } from '../look.ts';
import { nextLongRun } from '../key-runs.ts';
import { privateKeyBody, PRIVATE_LINES, puttyKeyBody } from '../private-keys.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { SecretSpans } from '../secret-spans.ts';
import { WorkBudget } from '../../pipeline/work-budget.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const [BEGIN, END, LINES] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', 'Private-Lines: 9'];

/** What leads to a key and to none, in rows, and the most steps for each unit in one look. */
const ROWS: readonly (readonly [piece: string, most: number])[] = [
  [LINES, 9], [`${LINES}\n`, 8], [`${LINES} `, 8], [`"${LINES} xxxxx`, 16], [`${`${LINES} `.repeat(11)}\n`, 8], [`${LINES}: x\n`, 8],
  [`${`${LINES} `.repeat(15)}${'a'.repeat(40)}`, 48], [`${LINES}${'\\'.repeat(40)}`, 16], [`${LINES}${'\n'.repeat(80)}`, 8],
  [`${LINES}\n${random(17)}\n`, 48], [`${LINES}\n${random(64)}\n.\n.\n.\n`, 24],
  [BEGIN, 16], [`${BEGIN}abc: `, 24], [`${BEGIN}\nabc: x\n`, 8], [`${BEGIN}\n${'abc: x\n'.repeat(9)}`, 8], [`${BEGIN}\n${random(17)}\n`, 24],
  [`${BEGIN}abc: ${'x'.repeat(9)}`, 24], [`abc: ${`${BEGIN}abc: `.repeat(5)}\n`, 96],
  [`${BEGIN}. ${random(40)}`, 24], [END, 16], [`${random(40)}\n${END}`, 16],
];

interface Cost {
  /** Units looked at for each unit of the text. */
  readonly looked: number;
  /** Steps of the budget for each. */
  readonly spent: number;
}

/** @param isParted whether something was taken out of the text before each piece: it is looked at twice then */
function costOf(piece: string, isParted: boolean): Cost {
  const text = piece.repeat(Math.ceil(30_000 / piece.length));
  const seams = new Seams();
  for (let at = 0; at < text.length; at += piece.length) seams.add(at);
  const work = new WorkBudget(Number.MAX_SAFE_INTEGER);
  const looked = countWork(() => void detector.find(text, { toolName: 't', work, seams: isParted ? seams : undefined }));
  return { looked: looked / text.length, spent: work.spent / text.length };
}

/** Units that native searches for literals go over, in any text: they are not counted. */
const SEARCHED = 24;

afterEach(() => {
  jest.restoreAllMocks();
});

describe.each([
  ['whole', false, 1],
  ['with something taken out between', true, 2],
] as const)('rows of what leads to a key, %s', (_name, isParted, looks) => {
  it.each(ROWS)('%j: what is looked at is counted, and is no more than a few times the text', (piece, most) => {
    const { looked, spent } = costOf(piece, isParted);
    expect(looked).toBeLessThanOrEqual(2 * spent + looks * SEARCHED);
    expect(spent).toBeLessThanOrEqual(looks * most);
  });
});

function lookAt(text: string): Look {
  return { text, spans: new SecretSpans(), work: new WorkBudget(Number.MAX_SAFE_INTEGER), seams: undefined, keysTo: 0, nextToken: -1, longRun: -1 };
}

describe('one look', () => {
  it('counts a run that is no line of a key after all', () => {
    const look = lookAt('a'.repeat(5_000));
    expect(nextLongRun(look, 0)).toBeUndefined();
    expect(look.work.spent).toBeGreaterThanOrEqual(5_000);
  });

  it('counts what it goes over behind the last line', () => {
    const look = lookAt(`${LINES}\n${random(64)}\n${'. '.repeat(500)}`);
    expect(puttyKeyBody(look, PRIVATE_LINES.length)).toBeDefined();
    // The line, the first look at the gap behind it, and where an END is looked for.
    expect(look.work.spent).toBeGreaterThanOrEqual(64 + 37 + 512);
  });

  it('counts what it goes over before an END', () => {
    const look = lookAt(`${'. '.repeat(500)}${END}`);
    expect(privateKeyBody(look, look.text.indexOf('PRIVATE'), 0)).toBeUndefined();
    expect(look.work.spent).toBeGreaterThanOrEqual(1_000);
  });
});

describe('what is known from the name before', () => {
  it('hides no key', () => {
    const piece = fc.constantFrom(LINES, LINES, '\n', '\\n', '%0a', '\\u000a', '| ', '"', random(64), random(39), `${random(30)}%2B${random(30)}`, 'x'.repeat(60), '. '.repeat(50), '\\', '/');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (whole) => {
        const look = lookAt(whole);
        for (let at = whole.indexOf(PRIVATE_LINES); at !== -1; at = whole.indexOf(PRIVATE_LINES, at + 1)) {
          const found = puttyKeyBody(look, at + PRIVATE_LINES.length);
          expect(found).toEqual(puttyKeyBody(lookAt(whole), at + PRIVATE_LINES.length));
          // Found without it, from right behind the count.
          if (nextLongRun(lookAt(whole), at + LINES.length) !== undefined) expect(found).toBeDefined();
        }
      }),
      lawRuns(3_000),
    );
  });
});
