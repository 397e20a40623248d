import { describe, expect, it } from '@jest/globals';
import { markdownLinks } from '../markdown/markdown-links.ts';
import { isLikeMark } from '../markdown/markdown-labels.ts';
import { clean } from './clean-scene.ts';

const URL = 'https://e.com/x';
const MARK = '[REDACTED:link]';

describe('a label with a definition that leads away', () => {
  it.each<[string, string, string]>([
    ['in other cases', 'Straße', 'STRASSE'],
    ['in capitals of letters that have two', 'ẞ', 'SS'],
    ['in other cases of Greek', 'ΑΓΩΣ', 'αγως'],
    ['with other spaces', ' a\tb ', 'a   b'],
    ['over lines of a quote', 'a\n> b', 'a b'],
    ['over lines', 'a\nb', 'a b'],
    ['with an escaped bracket', 'a\\]b', 'a\\]b'],
    ['with an escaped backslash', 'a\\\\', 'a\\\\'],
    ['of 999 characters', 'a'.repeat(999), 'a'.repeat(999)],
  ])('%s is found', (_name, defined, named) => {
    expect(clean(`![x][${named}]\n\n[${defined}]: ${URL}`, markdownLinks)).toContain(`${MARK}\n\n`);
  });

  it.each([`[a]:${URL}`, `[a]:\n${URL}`, `[a]: <${URL}>`, `> [a]:\n> ${URL}`, `- [a]: ${URL}`, `x [a]: ${URL}`, `\\\\[a]: ${URL}`])('is found in %j', (definition) => {
    expect(clean(`![A]\n\n${definition}`, markdownLinks)).toBe(`${MARK}\n\n${definition}`);
  });
});

it.each<[string, boolean]>([
  ['REDACTED:link', true], ['redacted:secret', true], [`${' '.repeat(999)}redacted:`, true], ['\n\tRedacted:', true], ['redacted', false], ['a redacted:', false],
])('a label like a mark: %j', (label, expected) => expect(isLikeMark(label)).toBe(expected));

describe('images by reference', () => {
  it.each<[string, string, string]>([
    ['by the other label', `![r][other]\n[other]: ${URL}`, `${MARK}\n[other]: ${URL}`],
    ['by their own text', `![r][none]\n[r]: ${URL}`, `${MARK}\n[r]: ${URL}`],
    ['collapsed', `![r][]\n[r]: ${URL}`, `${MARK}\n[r]: ${URL}`],
    ['alone', `![r] x\n[r]: ${URL}`, `${MARK} x\n[r]: ${URL}`],
    ['followed by what would make a definition of the mark', `![r]: //evil.com\n[r]: ${URL}`, `${MARK} //evil.com\n[r]: ${URL}`],
    ['followed by what would make a link of the mark', `![r](x y)(//evil.com)\n[r]: ${URL}`, `${MARK} y)(//evil.com)\n[r]: ${URL}`],
  ])('%s', (_name, text, expected) => {
    expect(clean(text, markdownLinks)).toBe(expected);
    expect(clean(expected, markdownLinks)).toBe(expected);
  });

  // Readers pair the brackets in different ways there, so it is the definition that is disarmed.
  it.each(['a\\]', '\\[a', 'a\\\\\\]'])('named %j with a colon behind it', (label) => {
    expect(clean(`![${label}]:\n\n[${label}]: ${URL}`, markdownLinks)).not.toContain(URL);
  });

  it('a definition in the paragraph of an image that does not end is none', () => {
    const text = `![x \n[a]: ${URL}\n\n![${'b'}](y)`;
    expect(clean(text, markdownLinks)).toBe(text);
  });

  it.each(['', ' ', '\t', '> ', '* ', '+ ', '- ', '1. ', '23) ', '> - 4. '])('a definition of a mark is disarmed behind %j', (before) => {
    expect(clean(`${before}[REDACTED:tag]: //x`, markdownLinks)).toBe(`${before}[REDACTED:tag]: ${MARK}`);
    expect(clean(`${before}[REDACTED:tag]: revoked, see log`, markdownLinks)).toBe(`${before}[REDACTED:tag]: revoked, see log`);
  });
});
