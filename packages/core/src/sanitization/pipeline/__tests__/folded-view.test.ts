import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clean } from '../../__tests__/clean-scene.ts';
import { countWork } from '../../__tests__/counted-work.ts';
import { boundaryTags } from '../../steps/boundary-tags.ts';
import { triggers } from '../../steps/triggers.ts';
import { foldedView, foldForm, toFoldedPattern } from '../folded-view.ts';
import { WorkBudget } from '../work-budget.ts';

function read(text: string): string {
  return foldedView(text)?.text ?? text;
}

/** Every character beyond ASCII, by itself on a line of its own: what each is read as does not depend on the next. */
function* everyCharacter(): Generator<string> {
  for (let code = 0x80; code <= 0x10_ff_ff; code += 1) {
    if (code < 0xd8_00 || code > 0xdf_ff) yield String.fromCodePoint(code);
  }
}

describe('the work on a view', () => {
  it.each(['&a=1 ', '%2 ', '\\u00 '])('counts what looks like a form and is none, as what a look at it costs: %j', (piece) => {
    const work = new WorkBudget();
    foldedView(`é${piece.repeat(1_000)}`, work);
    expect(work.spent).toBeGreaterThan(20_000);
  });

  it.each(['&shy;', '&nbsp;'])('decodes %s, of which pages are full, without a search for its name', (form) => {
    foldForm(form);
    expect(countWork(() => void foldForm(form))).toBeLessThan(10);
  });
});

describe('a text as it is read', () => {
  it.each([
    ['fullwidth', 'ｅｘｔｅｒｎａｌ－', 'external-'],
    ['mathematical', '𝓮𝔁𝘁', 'ext'],
    ['Cyrillic, small and capital', 'аеорсухтнмвкАЕОРСТНМВК', 'aeopcyxthmbkaeopcthmbk'],
    ['Greek, by its looks', 'Νν', 'nv'],
    ['Armenian, Cherokee, small capitals', 'օꭲᴛ', 'ott'],
    ['accents and strokes', 'éøđ', 'eod'],
    ['in boxes and circles', '🅾🇹ⓧ', 'otx'],
    ['hyphens', '‐‑‒–—―−﹣－', '---------'],
    ['low lines and slashes', '＿﹍⁄∕＼', '__//\\'],
    ['angles', '‹＜〈⟨›＞〉⟩', '<<<<>>>>'],
    ['what is not seen', 'a\u200b\u00ad\u2060\u{e0061}\ufe0f\u0301b', 'ab'],
    ['i, l, 1 or |', 'ІӀ', 'ıı'],
    ['other scripts as they are', 'ю日本한국', 'ю日本한국'],
  ])('%s', (_, text, expected) => expect(read(text)).toBe(expected));

  it('is the text itself where it is ASCII without encoded forms', () => {
    expect(foldedView('if (a < b && c) { print("\\n 100%"); }')).toBeUndefined();
  });

  it('finds i and l where one character stands for either', () => {
    expect(new RegExp(toFoldedPattern('a.il|1'), 'iu').test(read('A.ІӀ|Ӏ'))).toBe(true);
    expect(new RegExp(toFoldedPattern('a.b'), 'iu').test('axb')).toBe(false);
  });

  it('leaves out no character of the classes that are skipped for speed, no angle and no low line', () => {
    const all = [...everyCharacter()];
    // Behind `é` all is looked at, up to fifteen characters.
    const careful = read(all.map((character) => `é${character}\n`).join('')).split('\n');
    const quick = read(all.map((character) => `${character}\n${'.'.repeat(18)}`).join('')).split('\n');
    const missed = all.filter((_, index) => careful[index]?.slice(1) !== quick[index]?.slice(index === 0 ? 0 : 18));
    expect(missed.filter((character) => !'\u0085\u2028\u2029'.includes(character))).toEqual([]);
    const angles = all.filter((_, index) => careful[index] === 'e<');
    expect(angles.filter((angle) => clean(`${angle}external-content`, boundaryTags) !== '[REDACTED:tag]')).toEqual([]);
    const brackets = all.filter((_, index) => careful[index] === 'e[' || careful[index] === 'e{');
    expect(brackets.filter((bracket) => clean(`${bracket}/external-content-a`, boundaryTags) !== '[REDACTED:tag]')).toEqual([]);
    const lines = all.filter((_, index) => careful[index] === 'e_');
    expect(lines.filter((line) => clean(`${line}${line}ot`, triggers(['__ot'])) !== '[REDACTED:trigger]')).toEqual([]);
    expect([angles.length, brackets.length, lines.length]).toEqual([25, 14, 13]);
  });
});

describe('laws of the view', () => {
  const piece = fc.oneof(
    fc.constantFrom('&lt;', '&amp;lt;', '\\u003c', '%3C', '&#60', '\u00ad', 'о', '𝓸', 'ﬁ', '日', '👨‍👩‍👧', 'e\u0301', '__', '<', '&', '\\', '%', '\\u', '&#x', 'ot'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const texts = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

  it('each unit stands for a piece of the text, from left to right, none over the next', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const view = foldedView(text);
        if (view === undefined) return;
        let before = { start: 0, end: 0 };
        for (let unit = 0; unit < view.text.length; unit += 1) {
          const source = view.sourceOf(unit, unit + 1);
          // Two units of one character stand for the same piece.
          const isNext = source.start === before.start || source.start >= before.end;
          expect([isNext, source.end > source.start, source.end <= text.length]).toEqual([true, true, true]);
          before = source;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('says the same whether it is asked from left to right or not', () => {
    const text = '𝓸&lt;x\u00adyﬁ é';
    const view = foldedView(text);
    if (view === undefined) throw new Error('no view');
    const forth = Array.from(view.text, (_, unit) => view.sourceOf(unit, unit + 1));
    const back = Array.from(view.text, (_, unit) => view.sourceOf(view.text.length - 1 - unit, view.text.length - unit)).toReversed();
    expect(back).toEqual(forth);
    expect(view.sourceOf(0, view.text.length)).toEqual({ start: 0, end: text.length });
  });
});

describe('laws of tags and triggers', () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      '<', '</', '< / ', '<\\/', '‹', '＜', '&lt;', '&amp;lt;', '\\u003c', '%3c', 'external', 'EXTERNAL', 'ехternal', '-', '‐', '&hyphen;', '\u00ad', 'content', 'соntent', '-a1', '>',
      '&gt;', '›', ' source="', '__', '＿_', '&#95;', '\\x5f', 'ot', 'оt', 'OT', 't', 'mcp', 'onetool', '\u200b', '\u0301', '\u{e0061}', '[REDACTED:tag]', '[REDACTED:trigger]', '[REDACTED:', ']', ' ',
    ),
    fc.string({ maxLength: 3 }),
  );
  const attacks = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(''));
  const steps = [boundaryTags, triggers(['__ot', 'mcp__onetool', 'il|1', 'red'])];

  it('a second run changes nothing, and no tag or trigger is left, as it stands or as it is read', () => {
    fc.assert(
      fc.property(attacks, (text) => {
        const cleaned = clean(text, ...steps);
        expect(clean(cleaned, ...steps)).toBe(cleaned);
        for (const left of [cleaned, read(cleaned)]) {
          expect(left).not.toMatch(/<[^\p{L}\p{N}<>]{0,32}external-content/iu);
          expect(left).not.toMatch(/(?:__ot|mcp__onetool)(?!\p{L})/iu);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('what is not redacted is still there, in its order', () => {
    fc.assert(
      fc.property(attacks, (text) => {
        let from = 0;
        for (const kept of clean(text, ...steps).split(/\[REDACTED:(?:tag|trigger)\]/)) {
          from = text.indexOf(kept, from);
          expect(from).toBeGreaterThanOrEqual(0);
          from += kept.length;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
