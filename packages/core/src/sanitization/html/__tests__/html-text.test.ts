import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clean } from '../../__tests__/clean-scene.ts';
import { htmlToText } from '../html-text.ts';

const page = (body: string) => clean(`<!doctype html><body>${body}`, htmlToText);

describe('what a reader of a page would see', () => {
  it.each([
    ['paragraphs and inline elements', '<p>One  <b>two</b>,\n three</p><p>x</p>', 'One two, three\n\nx'],
    ['words without space stay together', 'a<b>b</b>c', 'abc'],
    ['entities', '&amp;&lt;x&gt; &eacute;&#x41;', '&<x> éA'],
    ['lists', '<ul><li>a<li>b<ol><li>x</li><li>y</ol></ul>', '- a\n- b\n  1. x\n  2. y'],
    ['tables row by row', '<table><tr><th>A<th>B<tr><td>1</td><td>2</td></tr></table>', 'A | B\n1 | 2'],
    ['links with their URL', '<a href="https://a.b/c">text</a> <a href="#x">y</a> <a href="javascript:z">z</a>', 'text (https://a.b/c) y z'],
    ['images as their text', '<img src=x alt="a picture"> b', 'a picture b'],
    ['pre is kept', '<pre>  a\n    b</pre>c', '  a\n    b\n\nc'],
    ['lines', 'a<br>b<hr>c', 'a\nb\n\n---\n\nc'],
    ['aria-hidden is seen', '<i aria-hidden=true>icon</i>', 'icon'],
    ['a textarea', '<textarea><p>x</textarea>', '<p>x'],
  ])('%s', (_, html, expected) => expect(page(html)).toBe(expected));

  it.each([
    '<script>evil</script>', '<style>evil</style>', '<template>evil</template>', '<noscript>evil</noscript>', '<title>evil</title>', '<!-- evil -->', '<iframe>evil</iframe>',
    '<div hidden>evil<div>evil</div>evil</div>', '<p style="display:none">evil</p>', '<p style="VISIBILITY: hidden !important">evil</p>', '<p style="opacity:0.01">evil</p>',
    '<p style="font-size:0">evil</p>', '<p style="font-size:1px">evil</p>', '<p style="color:transparent">evil</p>', '<p style="position:absolute;left:-9999px">evil</p>',
    '<p style="dis/**/play: n\\6fne">evil</p>', '<p style="/*x*/display:none;/*">evil</p>', '<dialog>evil</dialog>', '<script><!--<script>evil</script>evil--></script>',
    '<p hidden>evil<p>', '<div><b hidden>evil</div>evil</b>', '<table><tr><td hidden>evil</div>evil</td></tr></table>', '<ul><li hidden>evil<ul><li>evil</ul>evil<li></ul>',
  ])('not %s', (html) => {
    expect(page(`seen ${html} seen`).replace(/[\s|-]+/g, ' ')).toBe('seen seen');
  });

  it('what hides ends where a browser ends it', () => {
    expect(page('<div><span hidden>x</div>seen')).toBe('seen');
    expect(page('<p hidden>x<div>seen</div>')).toBe('seen');
  });

  it.each(['plain <b>x</b>', '{"a":"<p>"}', '<p align=center>\n# Readme\n</p>\n\ntext', '<note>xml</note>', '', '<', '# <div>', '<!-- a comment -->\n# Readme'])(
    'leaves %j alone: it is no page',
    (text) => expect(clean(text, htmlToText)).toBe(text),
  );

  it.each(['<?xml version="1.0"?>\n<!-- c --> <HTML>x', '\ufeff<body>x', '<p>x</p>\n'])('%j is one', (text) => {
    expect(clean(text, htmlToText)).toBe('x');
  });

  it('a page about HTML is not read twice', () => {
    expect(page('&lt;html>&lt;script>x')).toBe('Text of the page:\n<html><script>x');
  });

  it('hostile pages: no end of nesting, no page larger than itself and some more', () => {
    for (const part of ['<div>', '<div hidden>', '<ol><li>', '<a href=x>y', '<b>', '<table><tr><td>', '<!--', '<p style="/*">', '<script>', '&', '<x y=']) {
      const html = `<html>${part.repeat(100_000)}`;
      expect(page(html).length).toBeLessThan(html.length * 4);
    }
  });

  it('a second run changes nothing', () => {
    const part = fc.constantFrom('<html>', '<p>', '</p>', '<div hidden>', '</div>', '&lt;html>', '&lt;p>', '&amp;lt;p>', '<b>', '<pre>', '</pre>', 'x', ' ', '\n', '<!--', '-->', '<td>', '<li>', '<a href=u>', '</a>');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const cleaned = clean(parts.join(''), htmlToText);
        expect(clean(cleaned, htmlToText)).toBe(cleaned);
      }),
      { numRuns: 5_000 },
    );
  });
});
