import { describe, expect, it } from '@jest/globals';
import { Parser } from 'commonmark';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { clean, createUrlReader } from '../../__tests__/clean-scene.ts';
import { markdownLinks } from '../markdown-links.ts';

const URL = 'https://e.com/x';
const urls = createUrlReader();

/** The addresses of the images that a reader of CommonMark would load from elsewhere. */
function externalImages(text: string): readonly string[] {
  const images: string[] = [];
  const walker = new Parser().parse(text).walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { type, destination } = event.node;
    if (event.entering && type === 'image' && destination !== null && urls.isExternal(destination)) images.push(destination);
  }
  return images;
}

/** What brackets are paired by, and what hides them. */
const INLINE = ['!', '[', ']', '![', '](', `](${URL})`, `](${URL} "`, `](<${URL}>)`, '](u', ')', '(', '`', '``', '\\', '<', '>', '<b title="', '<http://a/', '<!--', '-->', '<?', '?>', '<![CDATA[', ']]>', '"', "'", 'a', 'r', ' ', '|', ':', '\n', '&#93;'];
const BLOCK = ['\n\n', '\n> ', '\n- ', '\n1. ', '\n# ', '\n    ', '\n```\n', '\n---\n', `\n[r]: ${URL}\n`, `\n\n[r]: ${URL}\n\n`, `\n\n- [a\\]]: ${URL}\n`, `\n\n[a]: <${URL}> "`, '[r]', '[a\\]]', '[]', '[R]'];

describe.each<[string, readonly string[]]>([
  ['in one paragraph', INLINE],
  ['among blocks and definitions', [...INLINE, ...BLOCK]],
  ['images of brackets, code and tags', ['![', ']', '[', `](${URL})`, '`', '<b x="', '">', '\\', 'a', ' ', '](u "', '")']],
])('images as a reader of CommonMark sees them: %s', (_name, parts) => {
  it('none with an external address is left, and a second run changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 24 }), (pieces) => {
        const text = pieces.join('');
        const cleaned = clean(text, markdownLinks);
        expect(externalImages(cleaned)).toEqual([]);
        expect(clean(cleaned, markdownLinks)).toBe(cleaned);
      }),
      lawRuns(),
    );
  });

  it('finds images at all', () => {
    const texts = fc.sample(fc.array(fc.constantFrom(...parts), { maxLength: 24 }), { numRuns: 2_000, seed: 1 }).map((pieces) => pieces.join(''));
    expect(texts.filter((text) => externalImages(text).length > 0).length).toBeGreaterThan(5);
  });
});
