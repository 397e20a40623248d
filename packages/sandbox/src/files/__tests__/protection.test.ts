import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foldName } from '@devs/core';
import { patternsWithout, ProtectedPatterns, type PatternList, type PatternPlace } from '../protected-patterns.ts';
import { Protection, TEMPORARY_PREFIX } from '../protection.ts';

const BUILT_IN = patternsWithout([]);
const protect = (patterns: PatternList, place?: PatternPlace) => new Protection({ patterns: new ProtectedPatterns(patterns, place), folders: [] });
const protection = protect(BUILT_IN);
const isProtected = (...segments: string[]) => {
  try {
    protection.refuseWriting(segments);
    return false;
  } catch {
    return true;
  }
};

describe('names that some file system takes for a protected one', () => {
  test.each([
    ['upper case', '.GIT'],
    ['mixed case', '.gIt'],
    ['dotless i, by its capital', '.g\u0131t'],
    ['long s, by its capital', '.v\u017Fcode'],
    ['full width letters', '.\uFF47\uFF49\uFF54'],
    ['zero width non-joiner, which HFS+ ignores', '.g\u200Cit'],
    ['zero width joiner at the start', '\u200D.git'],
    ['left-to-right mark at the end', '.git\u200E'],
    ['byte order mark', '.gi\uFEFFt'],
    ['soft hyphen', '.gi\u00ADt'],
    ['word joiner', '.\u2060git'],
    ['trailing dot', '.git.'],
    ['trailing dots and spaces', '.git . . '],
    ['trailing no-break space', '.git\u00A0'],
    ['an NTFS stream', '.git::$INDEX_ALLOCATION'],
    ['a stream of a file', '.npmrc:x'],
    ['a dot, then a stream', '.git.:x'],
    ['a Windows path in one name', 'a\\.git\\hooks'],
    ['a short name', 'GIT~1'],
    ['a short name with more digits', 'git~12'],
    ['a short name of a long one', 'DEVSCO~1.JSO'],
    ['a short name of a name with an ending', 'YARNRC~1.YML'],
    ['one of our temporary names', '.devs-tmp-1'],
    ['one of them in upper case', '.DEVS-TMP-1'],
    ['the prefix alone', TEMPORARY_PREFIX],
  ])('%s', (_, name) => {
    expect(isProtected(name)).toBe(true);
    expect(isProtected('a', name, 'b')).toBe(true);
  });

  test.each(['.gitignore', 'git', '.github', '.gi', 'x.git', '.git-', 'npmrc', 'git~x', 'gitt~1', '...', ' ', 'Makefile', '日本'])(
    'not %j',
    (name) => {
      expect(isProtected(name)).toBe(false);
    },
  );

  test('law: case, decomposition and ignored characters change nothing', () => {
    const ignored = fc.constantFrom('\u200C', '\u200D', '\u2060', '\uFEFF', '\u00AD', '\u202E', '');
    const disguise = (name: string) =>
      fc
        .array(fc.record({ upper: fc.boolean(), noise: ignored }), { minLength: name.length, maxLength: name.length })
        .map((how) =>
          how.map(({ upper, noise }, index) => (upper ? name.charAt(index).toUpperCase() : name.charAt(index)) + noise).join(''),
        );
    const disguised = fc.constantFrom(...BUILT_IN.anywhere.filter((pattern) => !/[*/]/.test(pattern))).chain(disguise);
    fc.assert(fc.property(disguised, (name) => isProtected(name) && isProtected('x', name.normalize('NFD'), 'y')));
  });

  test('law: folding twice is folding once', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (name) => foldName(foldName(name)) === foldName(name)));
  });
});

test('protected names that are not ASCII are met in either normal form', () => {
  const names = protect({ anywhere: [], atHome: [], names: ['geheimnis-für-straße'] });
  for (const name of ['GEHEIMNIS-FÜR-STRASSE', 'geheimnis-fu\u0308r-straße', 'geheimnis-f\u00fcr-straße']) {
    expect(() => {
      names.refuseWriting([name]);
    }).toThrow('PATH_PROTECTED');
  }
});

test('a hidden folder hides what is below it, and not what is beside it', () => {
  const hiding = new Protection({ patterns: new ProtectedPatterns({ anywhere: [], atHome: [] }), folders: [['state', 'devs']] });
  expect(hiding.isHidden(['state', 'devs'])).toBe(true);
  expect(hiding.isHidden(['State', 'DEVS', 'x'])).toBe(true);
  expect([['state'], ['devs'], ['state', 'devs2'], ['x', 'state', 'devs']].some((place) => hiding.isHidden(place))).toBe(false);
});

test.each([
  ['.GIT', 'files.protected, built in: ".git"'],
  ['a\\GIT~1', 'files.protected, built in: ".git"'],
  ['LOCK.json', 'files.protected: "lock.json"'],
  [`${TEMPORARY_PREFIX}x`, 'files.protected, built in: ".devs-tmp-"'],
])('says for the log which name protects %s', (name, decidedBy) => {
  const rules = protect({ ...BUILT_IN, names: ['lock.json'] });
  expect(() => rules.refuseNames(['a', name])).toThrow(expect.objectContaining({ code: 'PATH_PROTECTED', decidedBy }));
});
