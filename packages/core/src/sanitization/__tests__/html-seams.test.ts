import { describe, expect, it } from '@jest/globals';
import { htmlToText } from '../html/html-text.ts';
import { Glance } from '../pipeline/glance.ts';
import { TextRewriter } from '../pipeline/rewriter.ts';
import { Seams } from '../pipeline/seams.ts';
import { Tally } from '../pipeline/tally.ts';
import { cleanOne } from './pipeline-scene.ts';

// Put together at run time: no scanner of sources shall find a token here.
const TOKEN = ['ghp', 'G9G9RlMxhIPZccEkZ1aB3cD5eF7gH9iJ1kL3'].join('_');
const CLOUD = ['AIza', 'SyA8Kd02LmQz71XyPvRt55WsNbCe93HgJfU'].join('');
const MARK = '[REDACTED:secret:github-token]';
const CLOUD_MARK = '[REDACTED:secret:google-api-key]';

const read = (body: string) => cleanOne(`<!doctype html><body>${body}</body>`, { output: { html: 'text' } });
const parted = (token: string, by: string) => [token.slice(0, 12), token.slice(12, 24), token.slice(24)].join(by);

describe('a token on a page is masked, though no white space parts it from', () => {
  it.each([
    ['the label before an inline element', `<p>key<code>${TOKEN}</code></p>`, `key${MARK}`],
    ['the label in an inline element', `<b>key</b>${TOKEN}`, `key${MARK}`],
    ['a label and a button', `<span>key</span><span>${TOKEN}</span><span> Copy</span>`, `key${MARK} Copy`],
    ['a comment', `key<!-- x -->${TOKEN}`, `key${MARK}`],
    ['an instruction', `key<?x?>${TOKEN}`, `key${MARK}`],
    ['a doctype', `key<!doctype x>${TOKEN}`, `key${MARK}`],
    ['an end tag without a name', `key</>${TOKEN}`, `key${MARK}`],
    ['an end tag of nothing', `key</b>${TOKEN}`, `key${MARK}`],
    ['a NUL', `key\u0000${TOKEN}`, `key${MARK}`],
    ['what is hidden', `key<i hidden>x</i>${TOKEN}`, `key${MARK}`],
    ['a place where a line may end', `key<wbr>${TOKEN}`, `key${MARK}`],
    ['an image before it', `<img alt=key>${TOKEN}`, `key${MARK}`],
    ['an image that is it', `key<img alt="${TOKEN}">`, `key${MARK}`],
    ['a cell of no row', `key<td>${TOKEN}</td>`, `key${MARK}`],
    ['what is taken out of an address', `<a href="x?key\u200b${TOKEN}">y</a>`, `y (x?key${MARK})`],
    ['its label, where it is parted itself', `key<code>${parted(TOKEN, '<wbr>')}</code>`, `key${MARK}`],
    ['its label, where comments part it', `key<code>${parted(TOKEN, '<!---->')}</code>`, `key${MARK}`],
    ['what stands behind it', `<code>${CLOUD}</code><button>Copy</button>`, `${CLOUD_MARK}Copy`],
    ['what stands behind a comment', `${CLOUD}<!---->Copy`, `${CLOUD_MARK}Copy`],
    ['what stands behind an end tag without a name', `${CLOUD}</>Copy`, `${CLOUD_MARK}Copy`],
    ['both sides', `<i>key</i><i>${CLOUD}</i><i>Copy</i>`, `key${CLOUD_MARK}Copy`],
  ])('%s', (_name, body, shown) => expect(read(body)).toBe(shown));

  it('on a page that reads as a page', () => {
    expect(read(`&lt;html> key<b>${TOKEN}</b>`)).toBe(`Text of the page:\n<html> key${MARK}`);
  });

  it('where nothing parts them there is no token', () => {
    expect(read(`<p>key${TOKEN} <b>x</b></p>`)).toBe(`key${TOKEN} x`);
  });
});

it('what takes a place brings its seams, to where it stands', () => {
  const rewriter = new TextRewriter(new Glance('abcdef'), 'html', new Tally());
  rewriter.replace(0, 1, { by: 'long', rule: 'r' });
  const seams = new Seams();
  for (const place of [0, 2]) seams.add(place);
  rewriter.replace(2, 4, { by: 'xyz', rule: 'r', seams });
  rewriter.replace(5, 6, { by: '', rule: 'r' });
  const made = rewriter.finish();
  expect([made.text, placesOf(made.seams)]).toEqual(['longbxyze', [5, 7, 9]]);
});

it('a page has a seam at each place where markup was, and nowhere else', () => {
  const page = new Glance('<p>ab<b>c</b>d e&amp;f<!-- x -->g</p><p>h');
  const rewriter = new TextRewriter(page, 'html', new Tally());
  htmlToText.rewrite(`${page.text}</p>`, { replace: (_start, _end, change) => rewriter.replace(0, page.text.length, change) }, page);
  const { text, seams } = rewriter.finish();
  expect(text).toBe('abcd e&fg\n\nh');
  expect(placesOf(seams)).toEqual([0, 2, 3, 8, 11]);
});

function placesOf(seams: Seams | undefined): readonly number[] {
  return Array.from({ length: seams?.count ?? 0 }, (_, index) => seams?.at(index) ?? -1);
}
