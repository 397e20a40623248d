import { expect, test } from '@jest/globals';
import { createPipeline, textOf, type PipelineWishes } from './pipeline-scene.ts';

// Put together at run time: no scanner of sources shall find a token here.
const TOKEN = ['ghp', 'G9G9RlMxhIPZccEkZ1aB3cD5eF7gH9iJ1kL3'].join('_');

const clean = (block: Record<string, unknown>, wishes: PipelineWishes = {}) =>
  textOf(createPipeline({ ...wishes, context: { authorship: 'own', ...wishes.context } })({ content: [{ type: 'text', ...block }] }));

test.each([
  ['what begins with words', 'Hello <b>there</b><p>you', 'Hello there\n\nyou'],
  ['a page', '<!doctype html><h1>A</h1><p>b <a href="/c">d</a><script>e</script>', 'A\n\nb d (/c)'],
  ['words alone', 'a &amp; b', 'a & b'],
  ['a page about pages', '<p>&lt;html>&lt;b>x&lt;/b>', 'Text of the page:\n<html><b>x</b>'],
  ['a page that is hidden JSON', '<p>{"a":"\\u003cb>x"}', '{"a":"\\u003cb>x"}'],
])('%s, of which its tool knows that it is HTML, goes out as its text', (_, text, expected) => {
  for (const html of ['keep', 'text'] as const) {
    expect(clean({ text, markup: 'html' }, { output: { html } })).toBe(expected);
    expect(clean({ text: Buffer.from(text), markup: 'html' }, { output: { html } })).toBe(expected);
  }
});

test('markup parts what stands around it: a secret begins behind it', () => {
  expect(clean({ text: `see <b>key</b>${TOKEN}`, markup: 'html' })).toBe('see key[REDACTED:secret:github-token]');
});

test('a page that is longer than devs reads is cut before no secret', () => {
  const text = `<p>${'words '.repeat(2_000)}${TOKEN}${' more'.repeat(40_000)}`;
  const shown = clean({ text, markup: 'html' }, { maxBytes: 20_000, output: { maxSizeBytes: 15_000 } });
  expect(shown).toContain('[REDACTED:secret:github-token]');
  expect(shown).not.toContain(TOKEN.slice(0, 12));
});

test.each([
  ['another server', { text: 'a <b>b</b>', markup: 'html' }, 'foreign'],
  ['another word', { text: 'a <b>b</b>', markup: 'xml' }, 'own'],
  ['no word', { text: 'a <b>b</b>' }, 'own'],
] as const)('%s: nothing is made of it', (_, block, authorship) => {
  expect(clean(block, { context: { authorship } })).toBe('a <b>b</b>');
});

test('bytes that are no text are no page either', () => {
  expect(() => clean({ text: Buffer.from('%PDF-1.7\n<p>x'), markup: 'html' })).toThrow(/binary/);
});
