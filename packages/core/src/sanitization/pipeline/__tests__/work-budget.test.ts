import { describe, expect, it } from '@jest/globals';
import { createPipeline } from '../../__tests__/pipeline-scene.ts';

// What one budget of work lets through, and what it does not (ADR 0061). In steps, which are the same on every machine.

const UNITS = 800_000;
const clean = createPipeline({ labels: ['untrusted'], output: { maxSizeBytes: 40_000_000 } });
const ESC = '\u001b';

function fill(piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0; length < UNITS; ) length += pieces[pieces.push(piece(pieces.length)) - 1]?.length ?? 1;
  return pieces.join('').slice(0, UNITS);
}

function escaped(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const han = (from: number, count: number) => Array.from({ length: count }, (_, index) => String.fromCharCode(0x4e00 + ((from + index) * 7_919) % 20_000)).join('');
const texts = (...blocks: readonly string[]) => ({ content: blocks.map((text) => ({ type: 'text', text })) });
const structured = (structuredContent: object) => ({ ...texts('see'), structuredContent });
const rows = (row: (index: number) => readonly [string, unknown]) => structured(Object.fromEntries(Array.from({ length: UNITS / 40 }, (_, index) => row(index))));
const german = 'Donaudampfschifffahrtsgesellschaftskapitän fährt über die Rechtsschutzversicherung ';

const HONEST: readonly (readonly [name: string, raw: ReturnType<typeof texts>])[] = [
  ['one string in which each letter is an escape', texts(escaped({ text: han(0, UNITS / 6) }))],
  ['many such strings', texts(escaped(Array.from({ length: UNITS / 120 }, (_, index) => ({ id: index, title: han(index * 18, 18) }))))],
  ['a soft hyphen in every third place', texts(fill(() => german.replace(/([a-zä]{3})(?=[a-zä])/g, '$1\u00ad')))],
  ['the same as entities', texts(fill(() => german.replace(/([a-zä]{3})(?=[a-zä])/g, '$1&shy;')))],
  ['the log of a terminal', texts(fill((index) => `${ESC}[32m✓${ESC}[39m ${ESC}[2mtest ${String(index)}${ESC}[22m\n`))],
  ['pictures of many characters', texts(fill(() => '👨\u200d👩\u200d👧\u200d👦❤\ufe0f '))],
  ['a list of passwords', texts(fill((index) => `DB_PASSWORD=Xk9${String(index)}pQ7!zRt and postgres://user:Pa55w${String(index)}rd@host/db\n`))],
  ['names that are paths of Windows', rows((index) => [`src\\dir\\file_${String(index)}.ts`, { index }])],
  ['names of Han', rows((index) => [`${han(index * 5, 5)}${String(index)}`, `v${String(index)}`])],
  ['names that are addresses', rows((index) => [`https://packages.example/p${String(index)}/-/p`, index])],
  ['a thousand short blocks', texts(...Array.from({ length: 1_000 }, (_, index) => `block ${String(index)} & more `.repeat(9)))],
];

describe('an honest result is not withheld', () => {
  it.each(HONEST)('%s', (_name, raw) => {
    expect(() => clean(raw)).not.toThrow();
  });

  // Where something was changed, the steps up to that one read the text again.
  it.each(HONEST)('with something in it that is taken out: %s', (_name, raw) => {
    const content = raw.content.map((block, index) => (index === 0 ? { ...block, text: `a${ESC}[31mb\u200bc ${block.text}` } : block));
    expect(() => clean({ ...raw, content })).not.toThrow();
  });
});

describe('a result that costs more than honest ones is withheld', () => {
  const expectWithheld = (raw: unknown) => {
    expect(() => clean(raw)).toThrow(expect.objectContaining({ code: 'OUTPUT_WITHHELD', cause: new Error('cleaning it would take more work than a result of its length may') }));
  };

  it.each<[string, string]>([
    ['commands that name a password', 'mysql -p'],
    ['commands that name a user and a password', 'curl -u a:b '],
  ])('%s in rows', (_name, piece) => {
    expectWithheld(texts(fill(() => piece)));
  });

  it('short strings that each have to be read in three ways', () => {
    expectWithheld(structured({ list: Array.from({ length: UNITS / 40 }, (_, index) => `\\u00${String(index)}\\x3c\u200d`) }));
  });

  it('small ones are let pass: each has sixteen million steps', () => {
    expect(() => clean(texts('mysql -p'.repeat(300)))).not.toThrow();
  });
});
