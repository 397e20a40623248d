import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clean, createUrlReader } from '../../__tests__/clean-scene.ts';
import { markdownLinks } from '../markdown-links.ts';

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
    ['an angle in a URL', '[t](https://e.com/<x) ![x](https://e.com/<img src=//e.com>', '[t]([REDACTED:link][REDACTED:link]'],
    ['an image behind many spaces', `![x](${' '.repeat(70)}https://e.com/x)`, '[REDACTED:link]'],
    ['an image over lines of a quote', '> ![x](\n> https://e.com/x)', '> [REDACTED:link]'],
    ['an image with an escape in its URL', '![x](https\\://e.com/x) ![x](/\\/e.com)', '[REDACTED:link] [REDACTED:link]'],
    ['an image by a definition in a list', '![x][r]\n\n- 1. [r]: https://e.com', '[REDACTED:link]\n\n- 1. [r]: https://e.com'],
    ['an image by a definition in a note', '![x][r]\n\n[^1]: [r]: https://e.com', '[REDACTED:link]\n\n[^1]: [r]: https://e.com'],
    ['an image by a definition over lines of a quote', '![x][a b]\n\n> [a\n> b]:\n> https://e.com', '[REDACTED:link]\n\n> [a\n> b]:\n> https://e.com'],
    ['an image by a label with a bracket', '![x][r\\]]\n\n[r\\]]: https://e.com', '[REDACTED:link]\n\n[r\\]]: [REDACTED:link]'],
    ['an image by its own text, before what is no URL', '![r](x y)\n\n[r]: https://e.com', '[REDACTED:link] y)\n\n[r]: https://e.com'],
    ['an image of HTML with angles in quotes', '<img alt=">" src="https://e.com/?a"> <img alt="<" src=//e.com>b', '[REDACTED:link] [REDACTED:link]b'],
    ['an image of HTML with a quote in a value', '<img alt=a" x=">" src=//e.com>b', '[REDACTED:link]b'],
    ['the second of a set', '<img srcset="a.png 1x, https://e.com 2x">b', '[REDACTED:link]b'],
    ['other tags that load', '<source srcset=//e.com><video poster=//e.com><input type=image src=//e.com><image href="//e.com"/><link href=//e.com>', '[REDACTED:link]'.repeat(5)],
    ['a style that loads', '<p style="background:url(//e.com/x)">a</p><td background="//e.com">', '[REDACTED:link]a</p>[REDACTED:link]'],
    ['no end', '![x](https://e.com/secret', '[REDACTED:link]'],
  ])('%s', (_, text, expected) => {
    expect(clean(text, markdownLinks)).toBe(expected);
    expect(clean(expected, markdownLinks)).toBe(expected);
  });

  it.each([
    ['an escaped bracket', '![a\\](https://e.com)](https://e.com)', '[REDACTED:link]]([REDACTED:link])'],
    ['an escaped bracket that closes', '![a\\]](https://e.com)', '![a\\]]([REDACTED:link])'],
    ['code', '![`]`](https://e.com)', '![`]`]([REDACTED:link])'],
    ['a tag', '![<b title="]">](https://e.com)', '![<b title="]">]([REDACTED:link])'],
    ['an autolink', '![<http://a/]>](https://e.com)', '![<http://a/]>]([REDACTED:link])'],
    ['a comment', '![<!-- > ] -->](https://e.com)', '![<!-- > ] -->]([REDACTED:link])'],
    ['a section', '![<![CDATA[ ]]>](https://e.com)', '[REDACTED:link]'],
    ['the address of a link', '![a [b](c]d) e](https://e.com)', '![a [b](c]d) e]([REDACTED:link])'],
    ['the title of a link', '![a [b](c (]]) ) e](https://e.com)', '![a [b](c (]]) ) e]([REDACTED:link])'],
    ['brackets without end', `![${'['.repeat(70)}x${']'.repeat(70)}](https://e.com)`, `![${'['.repeat(70)}x${']'.repeat(70)}]([REDACTED:link])`],
    ['code that is in two cells', 'a|b\n-|-\n` | ![`]`](https://e.com) `', 'a|b\n-|-\n` | ![`]`]([REDACTED:link]) `'],
    ['a backtick in a title', '[a](/u "`") ![`]`](https://e.com) `', '[a](/u "`") ![`]`]([REDACTED:link]) `'],
    ['a backtick of a heading', '# a ` b\n![`]`](https://e.com)', '# a ` b\n![`]`]([REDACTED:link])'],
    ['a label of its own with a bracket', '![r\\]]\n\n[r\\]]: https://e.com', '![r\\]]\n\n[r\\]]: [REDACTED:link]'],
    ['a label behind code', '![`]`][r]\n\n[r]: https://e.com', '![`]`][r]\n\n[r]: [REDACTED:link]'],
  ])('an image that a plain pairing of brackets does not see: %s', (_, text, expected) => {
    expect(clean(text, markdownLinks)).toBe(expected);
    expect(clean(expected, markdownLinks)).toBe(expected);
  });

  it.each([
    '![x](a.png) Use `npm i` or `a[0]` or <br> [docs](https://e.com/docs)',
    '| ![a](img/a.png) | foo<br>bar | [link](https://e.com/a) |\n| ![b](img/b.png "t") | `x[i]` | [link](https://e.com/b "t") |',
    '<p align="center"><b>x</b></p> ![x](a.png) [docs](https://e.com)\n\n`a` [x](https://e.com)',
    '<img alt="Note: x" src="a.png"> <p style="color: red">x</p> <a href="https://e.com">x</a> <svg xmlns="http://www.w3.org/2000/svg">',
  ])('%j has no other image', (text) => expect(clean(text, markdownLinks)).toBe(text));

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
    ['many parts of a path', `https://e.com/${'aB3xaB3xaB3x/'.repeat(40)}`, true],
    ['an escape before the colon', 'javascript\\:alert(1)', true],
    ['an address of mail', 'mailto:user@e.com', false],
  ])('carriesData: %s', (_, url, expected) => expect(createUrlReader().carriesData(url)).toBe(expected));

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
