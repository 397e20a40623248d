import { describe, expect, it } from '@jest/globals';
import { TagReader } from '../html/html-tags.ts';
import { markdownLinks } from '../markdown/markdown-links.ts';
import { clean, createUrlReader } from './clean-scene.ts';

const MARK = '[REDACTED:link]';
const loads = (tag: string) => new TagReader(tag, createUrlReader()).read(0)?.loads;

describe('a tag that loads', () => {
  it.each('img image source video audio input link object embed iframe frame track use feimage script base bgsound portal'.split(' '))('<%s>', (name) => {
    expect(clean(`a <${name} x="//e.com"> b`, markdownLinks)).toBe(`a ${MARK} b`);
    expect(clean(`a <${name.toUpperCase()} src=https://e.com/> b`, markdownLinks)).toBe(`a ${MARK} b`);
    expect(clean(`a <${name} x="a.png"> b`, markdownLinks)).toBe(`a <${name} x="a.png"> b`);
    expect(clean(`a <${name}x x="//e.com"> b`, markdownLinks)).toBe(`a <${name}x x="//e.com"> b`);
  });

  it.each([
    '<img srcset="a.png 1x,//e.com 2x">', "<img src='//e.com'>", '<img src = //e.com>', '<img/src=//e.com>', '<img alt=">" src=//e.com>', "<img alt='>' src=//e.com>", '<img src="a:b c">',
    '<table background="//e.com">', '<p style="background: url(//e.com)">', "<p style=\"background: url('//e.com')\">", '<p style="background:url( https://e.com )">', '<p style="background:u\\72l(x)">',
    '<p style="--a: \'//e.com\'">',
  ])('%s', (tag) => expect(loads(tag)).toBe(true));
});

describe('a tag that loads nothing', () => {
  it.each(['alt', 'title', 'aria-label', 'xmlns', 'xmlns:xlink', 'placeholder', 'value', 'content'])('though its %s has a colon', (name) => {
    expect(loads(`<input ${name}="https://e.com: a note">`)).toBe(false);
  });

  it.each(['<a href="//e.com">', '<p style="color: red; //e.com">', '<p data-x="//e.com">', '<img src=a.png>', '<img src>', '<img>'])('%s', (tag) => expect(loads(tag)).toBe(false));
});

it.each(['<img src="//e.com', "<img src='//e.com>", '<img src=//e.com', '<1>', '< img>', '<img!src=//e.com'])('no end, no tag: %s', (tag) => expect(loads(tag)).toBeUndefined());

describe('what has no end, or is too much to read', () => {
  it.each(['img', 'image', 'source', 'video', 'input', 'link', 'object', 'embed', 'iframe'])('<%s> that names an address goes as far as it may go', (name) => {
    expect(clean(`<${name} alt=" src=//e.com>b`, markdownLinks)).toBe(`${MARK}b`);
    expect(clean(`<${name} alt=" src=a.png>b`, markdownLinks)).toBe(`<${name} alt=" src=a.png>b`);
  });
});
