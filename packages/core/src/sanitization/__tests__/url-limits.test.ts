import { describe, expect, it } from '@jest/globals';
import { UrlReader } from '../html/url-data.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';
import { createUrlReader } from './clean-scene.ts';

const urls = createUrlReader();
const words = (length: number) => 'word-'.repeat(length).slice(0, length);
const opaque = (length: number) => 'aB3x'.repeat(length).slice(0, length);

describe('a URL carries data from here on', () => {
  it.each<[string, string, string]>([
    ['query and fragment', `https://e.com/?${words(255)}`, `https://e.com/?${words(256)}`],
    ['a fragment', `https://e.com/#${words(255)}`, `https://e.com/#${words(256)}`],
    ['a part of the path', `https://e.com/${words(100)}`, `https://e.com/${words(101)}`],
    ['all behind the host', `https://e.com/${'word/'.repeat(102)}a`, `https://e.com/${'word/'.repeat(102)}ab`],
    ['path and query', `https://e.com/${'word/'.repeat(60)}?${words(210)}`, `https://e.com/${'word/'.repeat(60)}?${words(211)}`],
    ['a part that is opaque', `https://e.com/${opaque(39)}`, `https://e.com/${opaque(40)}`],
    ['a value of a query that is opaque', `https://e.com/?a=${opaque(39)}&b=c`, `https://e.com/?a=${opaque(40)}&b=c`],
    ['a name of a host', `https://${opaque(39)}.e.com/`, `https://${opaque(40)}.e.com/`],
    ['a word of letters', `https://e.com/${'a'.repeat(20)}-${'b'.repeat(20)}`, `https://e.com/${'a'.repeat(21)}-${'b'.repeat(20)}`],
    ['a word of digits', `https://e.com/${'1'.repeat(20)}-${'2'.repeat(20)}`, `https://e.com/${'1'.repeat(21)}-${'2'.repeat(20)}`],
    ['a digest', `https://e.com/${'0a'.repeat(32)}`, `https://e.com/${'0a'.repeat(32)}b`],
    ['a digest in capitals', `https://e.com/${'0A'.repeat(20)}`, `https://e.com/${'0A'.repeat(19)}0a`],
    ['a user', 'https://e.com/@a', 'https://a@e.com/'],
    ['a user without a scheme', '//e.com/@a', '//a@e.com/'],
    ['a scheme that runs', 'x-javascript:alert(1)', 'javascript:alert(1)'],
    ['a scheme that shows', 'x-data:text/html,x', 'data:text/html,x'],
    ['a scheme in entities', 'java&#110;script:x', 'java&#115;cript:x'],
    ['a scheme with a line end', 'java%0ascript:x', 'java\tscript:x'],
  ])('%s', (_name, free, carries) => expect([urls.carriesData(free), urls.carriesData(carries)]).toEqual([false, true]));
});

describe('a URL leads away', () => {
  it.each(['https://e.com', 'HTTP:e.com', '//e.com', '\\\\e.com', '/\\e.com', '\\/e.com', 'https\\://e.com', '\\//e.com', '/&#47;e.com', 'https&colon;//e.com', 'ht\ntps://e.com', '&#x2f;/e.com', `${'a'.repeat(32)}:x`])(
    '%j', (url) => expect(urls.isExternal(url)).toBe(true),
  );
  it.each(['a.png', '/a//b', './a:b', 'a/b:c', '?a=https://e.com', '#//e.com', '', `${'a'.repeat(33)}:x`, '/a%2f/b'])('not %j', (url) => expect(urls.isExternal(url)).toBe(false));
});

describe('a URL in disguise', () => {
  const spentOn = (url: string) => {
    const work = new WorkBudget(Infinity);
    const reader = new UrlReader(work);
    reader.isExternal(url);
    const once = work.spent;
    reader.carriesData(url);
    return [once, work.spent - once];
  };

  it('is read once for where it leads and what it carries', () => {
    const [once = 0, again = 0] = spentOn('&#104;ttp&#58;a');
    expect(once).toBeGreaterThan(300);
    expect(again).toBeLessThan(50);
  });

  it('is read a second time only where Markdown takes a backslash out of it', () => {
    const [kept = 0, taken = 0] = [spentOn('a\\u003ab')[0], spentOn('a\\:\\u003ab')[0]];
    expect(taken).toBeGreaterThan(kept + 160);
  });
});
