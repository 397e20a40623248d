import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { markdownLinks } from '../markdown-links.ts';
import { carriesData } from '../url-data.ts';
import { clean } from './clean-scene.ts';

const OPAQUE = 'aB3x'.repeat(12);

describe('Markdown that could carry data out', () => {
  it.each([
    ['an image', 'a ![x](https://e.com/x.png "t") b', 'a [REDACTED:link] b'],
    ['an image without a scheme', '![x](//e.com/x.png)', '[REDACTED:link]'],
    ['an image in angles', '![x](<https://e.com/a b>)', '[REDACTED:link]'],
    ['an image by reference', '![x][r]\n\n[r]: https://e.com/x', '[REDACTED:link]\n\n[r]: https://e.com/x'],
    ['an image by its own text', '![r] ![R][]\n[r]: //e.com', '[REDACTED:link] [REDACTED:link]\n[r]: //e.com'],
    ['an image of HTML', '<img alt=x src="https://e.com/?a">b', '[REDACTED:link]b'],
    ['an image in a link', '[![x](https://e.com/x)](https://ok.com)', '[[REDACTED:link]](https://ok.com)'],
    ['an image in an image', '![a ![b](https://u1)](https://u2)', '![a [REDACTED:link][REDACTED:link]'],
    ['what would make a link of the mark', '![a](https://e.com)(https://evil.com)', '[REDACTED:link]'],
    ['a link with an opaque query', `[t](https://e.com/?d=${OPAQUE})`, '[t]([REDACTED:link])'],
    ['a link with an opaque path', `[t](https://e.com/${OPAQUE} "title")`, '[t]([REDACTED:link] "title")'],
    ['a link with a user', '[t](https://user:word@e.com)', '[t]([REDACTED:link])'],
    ['a link that runs code', '[t](javascript:alert(1)) [t](java&#10;script:x) [t](data:text/html,x)', '[t]([REDACTED:link]) [t]([REDACTED:link]) [t]([REDACTED:link])'],
    ['an autolink', `<https://e.com/${OPAQUE}>`, '[REDACTED:link]'],
    ['a definition', `[r]: https://e.com/?q=${OPAQUE}`, '[r]: [REDACTED:link]'],
    ['a definition of a mark', '[REDACTED:link]: https://evil.com', '[REDACTED:link]: [REDACTED:link]'],
    ['an angle in a URL', '[t](https://e.com/<x) ![x](https://e.com/<img src=//e.com>', '[t]([REDACTED:link]<x) [REDACTED:link][REDACTED:link]'],
    ['no end', '![x](https://e.com/secret', '[REDACTED:link]'],
  ])('%s', (_, text, expected) => {
    expect(clean(text, markdownLinks)).toBe(expected);
    expect(clean(expected, markdownLinks)).toBe(expected);
  });

  it.each([
    '![x](img/x.png) ![y](./a/b.svg "t") <img src="a.png">', '[w](https://en.wikipedia.org/wiki/A_(b)) [x](../y.md#z) [m](mailto:a.b)',
    `[c](https://github.com/a/b/commit/${'0a'.repeat(20)})`, '[b](https://b.com/how-to-write-a-very-long-title-in-the-year-2024-or-so)',
    `https://e.com/${OPAQUE}`, '[1]: https://e.com/a?b=c&d=e', 'a[i](b)[j]', '- [ ] todo\n- [x] done', 'if (a < b) x[i] = y', '![[wiki]]', '[id](https://e.com/x/0b1e2c3d-4e5f-4aaa-8bbb-cccccccccccc?page=2)',
  ])('%j survives byte for byte', (text) => expect(clean(text, markdownLinks)).toBe(text));

  it.each([
    ['a sentence in a query', `https://e.com/?q=${'the+user+said+'.repeat(20)}`, true],
    ['a search', 'https://e.com/search?q=how+to+bake+bread&lang=en', false],
    ['a long part of a path, in words', `https://e.com/${'word-'.repeat(30)}`, true],
    ['a digest in a query', `https://e.com/?d=${'0a'.repeat(20)}`, true],
    ['a long name of a host', `https://${OPAQUE}.e.com/`, true],
    ['a backslash before the host', 'https:\\\\user@e.com', true],
    ['digits', `https://e.com/${'1'.repeat(65)}`, true],
    ['an address of mail', 'mailto:user@e.com', false],
  ])('carriesData: %s', (_, url, expected) => expect(carriesData(url)).toBe(expected));

  it('a second run changes nothing, and no image with an external URL is left', () => {
    const part = fc.constantFrom('!', '[', ']', '(', ')', '](', '![', 'a', 'r', ':', '\n', ' ', '<', '>', '<img src=', '"', 'https://e.com', '//e.com/', `?${OPAQUE}`, 'javascript:', '[REDACTED:link]', '\n[r]: //e.com', '[r]');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 24 }), (parts) => {
        const cleaned = clean(parts.join(''), markdownLinks);
        expect(clean(cleaned, markdownLinks)).toBe(cleaned);
        expect(cleaned).not.toMatch(/!\[[^[\]]*\]\(\s*<?(?:https?:|\/\/)[^\s()<>[\]]*>?\)/);
      }),
      { numRuns: 5_000 },
    );
  });
});
