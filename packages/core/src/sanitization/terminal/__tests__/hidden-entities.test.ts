import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { EntityGuard, hiddenEntityReader } from '../hidden-entities.ts';

const read = (text: string) => hiddenEntityReader(text)?.(0);

describe('an entity of what is not seen', () => {
  it.each<[string, number]>([
    ['&#8203;', 0x200b], ['&#8203', 0x200b], ['&#08203;', 0x200b], ['&#0000000008203;', 0x200b], ['&#x200b;', 0x200b], ['&#X00200B;', 0x200b], ['&#173;', 0xad], ['&#xad', 0xad],
    ['&#917569;', 0xe0041], ['&#xE0041;', 0xe0041], ['&shy;', 0xad], ['&ZeroWidthSpace;', 0x200b], ['&amp;#8203;', 0x200b], ['&amp;amp;shy;', 0xad], ['&#38;#8203;', 0x200b], ['&#x26;zwj;', 0x200d],
    ['&#38#8203;', 0x200b], ['&#82030;&#8203;', 0x200b],
  ])('%s', (entity, code) => {
    const at = entity.lastIndexOf('&');
    expect(hiddenEntityReader(entity)?.(at)).toEqual({ end: entity.length, code });
  });

  it.each(['&#60;', '&#x3c;', '&#00000060', '&#7;', '&#65', '&#1114112;', '&#x110000;', '&#;', '&#x;', '&#', '&', '&shy', '&shyx;', '&amp;', '&nosuchname;', '&#97569999;', 'shy;'])('%s is none', (text) => {
    expect(read(text)).toBeUndefined();
  });
});

/** What is left, by looking at all of it each time. */
function joinsByHand(kept: string, behind: string): boolean {
  for (let at = Math.max(0, kept.length - 128); at < kept.length; at += 1) {
    if (kept.charAt(at) !== '&') continue;
    const found = hiddenEntityReader(kept.slice(at) + behind)?.(0);
    if (found !== undefined && found.end > kept.length - at) return true;
  }
  return false;
}

describe('what a deletion would put together', () => {
  it('is told as by a look at all that was kept', () => {
    const piece = fc.constantFrom('&', '#', '&#', '82', '03', ';', '0', 'x20', '0b;', 'shy', 'zwj;', 'amp;', '&amp;', '&shy;', ' ', 'a', '"', '&#8203;', '\n', 'word '.repeat(30), '0'.repeat(9));
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, piece), { minLength: 1, maxLength: 24 }), (pairs) => {
        const text = pairs.map(([keep, gone]) => keep + gone).join('');
        const guard = new EntityGuard(text);
        let [at, kept] = [0, ''];
        for (const [keep, gone] of pairs) {
          const [start, end] = [at + keep.length, at + keep.length + gone.length];
          kept += keep;
          at = end;
          // A marker stands there, over which no entity goes.
          const isJoined = guard.joins(start, end);
          expect(isJoined).toBe(joinsByHand(kept, text.slice(end, end + 128)));
          if (isJoined) kept += ' ';
        }
      }),
      lawRuns(),
    );
  });
});
