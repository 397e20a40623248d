import { describe, expect, it } from '@jest/globals';
import { markdownLinks } from '../markdown-links.ts';
import { clean } from './clean-scene.ts';

const MARK = '[REDACTED:link]';
const U = 'https://e.com/x.png?d=1';

describe('what loads unasked is marked', () => {
  it.each([
    ['an import', `<style>@import "${U}";</style>b`, `${MARK}b`],
    ['an import of a page without a scheme', "<STYLE type='text/css'>@import url(//e.com/x)</STYLE >b", `${MARK}b`],
    ['a picture of a style', `a<style>\na { background: url( '${U}' ) }\n</style>`, `a${MARK}`],
    ['a style in SVG', `<svg><style>*{fill:url(${U})}</style></svg>`, `<svg>${MARK}</svg>`],
    ['one of a set of pictures', `<style>a{b:image-set("a.png" 1x, "${U}" 2x)}</style>`, MARK],
    ['a style in escapes', '<style>a{b:u\\72l(\\68 ttps\\3a//e.com)}</style>', MARK],
    ['an import in escapes', '<style>@\\69mport "\\2f\\2f e.com";</style>', MARK],
    ['a style of SVG in entities', '<svg><style>&#64;import "&#x2f;/e.com";</style></svg>', `<svg>${MARK}</svg>`],
    ['a style of SVG in pieces', `<svg><style>u<!---->r<g/>l(${U})</style></svg>`, `<svg>${MARK}</svg>`],
    ['a style behind one that closes itself', `<svg><style>u<style />rl(${U})</style></svg>`, `<svg>${MARK}</svg>`],
    ['a style in a comment, which is none', `<style><!-- a{b:url(${U})} --></style>`, MARK],
    ['a style without end', `a <style>b{c:url(${U})} d`, `a ${MARK}b{c:url(${U})} d`],
    ['a style in a style', `<style>a<style>b{c:url(${U})}</style>d`, `<style>a${MARK}d`],
    ['a fill', `<rect fill="url(${U})"/>`, MARK],
    ['a mask without quotes', `<rect mask=url(${U})>`, MARK],
    ['a filter in entities', '<rect filter="u&#114;l&lpar;&quot;//e.com&quot;)">', MARK],
    ['a cursor in escapes', `<rect cursor="\\75rl(${U})">`, MARK],
    ['a style in entities', `<p style="background:url(&quot;${U}&quot;)">`, MARK],
    ['a page that goes on to another', `<meta http-equiv=refresh content="0;url=${U}">`, MARK],
    ['the same without its name', `<META content=" 1.5, '${U}'" HTTP-EQUIV="Refresh">`, MARK],
    ['a ping', `<a href="/a" ping="${U}">x</a>`, `${MARK}x</a>`],
    ['an element that nobody knows', `<amp-img src=${U}></amp-img>`, `${MARK}</amp-img>`],
    ['a glyph', `<math><mglyph src=${U}>`, `<math>${MARK}`],
    ['an attribute that a script loads', `<div data-src=${U} data-background=${U}>`, MARK],
    ['an animated address', `<image><animate attributeName=href values="a;${U}"></image>`, `<image>${MARK}</image>`],
    ['an address that is set', `<image><set attributeName=href to=${U}></image>`, `<image>${MARK}</image>`],
    ['code that runs by itself', `<body onload="fetch('${U}')">`, MARK],
    ['a manifest', `<html manifest=${U}>`, MARK],
    ['a tag within a tag', `<p <a <amp-img src=${U}>b`, `${MARK}b`],
    ['an embedded page of a wiki', `![[${U}]] ![[ //e.com|x]]`, `${MARK} ${MARK}`],
    ['a label behind a space', `![a] [b]\n\n[b]: ${U}`, `${MARK}\n\n[b]: ${U}`],
    ['a label on the next line', `> ![a]\n> [b]\n\n[b]: ${U}`, `> ${MARK}\n\n[b]: ${U}`],
  ])('%s', (_, text, expected) => {
    expect(clean(text, markdownLinks)).toBe(expected);
    expect(clean(expected, markdownLinks)).toBe(expected);
  });

  it.each([
    '<style>a{color:red}a:hover{b:url(img/a.png)} .md\\:flex{} .\\32xl{} i:before{content:"\\f101"} @import "local.css";</style>',
    '<style><!-- a:not(b:hover){content:"Note: x"} @media (min-width:600px){} --></style>',
    '<svg><style>.a{fill:url(#b)}</style><rect fill="url(#b)" clip-path="url(#c)" transform="rotate(45)"/></svg>',
    'A `<style>` may say `@import` or `url(a.png)`; see [the page](https://e.com/css) (https://e.com/b).',
    `<meta name="og:image" content="${U}"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    '<meta http-equiv="refresh" content="5"><meta name="description" content="1, 2, 3: a song">',
    '<meta http-equiv="refresh" content="0; url=/next">',
    `<a href="${U}" class="md:flex hover:b" onclick="open('${U}')" title="(url: x)">x</a> <form action="${U}">`,
    '<input pattern="\\d{3}(a|b)" name="a"> <amp-img src="a.png"> <div data-src="/a/b.png" itemtype="https://schema.org/A">',
    '![[page#part|words]] ![[img/a.png]]',
    `![a](a.png) [b]\n\n[b]: ${U}`,
    `![c]\n[b]: ${U}`,
  ])('%j survives byte for byte', (text) => expect(clean(text, markdownLinks)).toBe(text));
});
