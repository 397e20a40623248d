import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { isRecord, type Json } from '../../../json.ts';
import { readJson } from '../../__tests__/read-json.ts';
import { cleanJson } from '../clean-json.ts';
import { cleanJsonText } from '../json-text.ts';

/** As the steps do it: what is deleted first, then what is replaced; a mark is clean. */
const clean = (text: string, key?: string) => {
  const seen = text.replace(/[\u200b\u0000-\u0008\u001b]/g, '');
  return key === 'password' && seen !== '[REDACTED]' ? '[REDACTED]' : seen.replace(/secret|hunter2/g, '[REDACTED]');
};

const piece = fc.constantFrom(
  'a', 'b', '1', ' (2)', 'secret', 'sec', 'ret', 'password', 'pass', 'word', 'hunter2', '\u200b', '\u001b', '\u0000', '\n', '\t',
  '"', '\\', '/', '\ud83d', '\ude00', 'é', '日', '[REDACTED]', '{', '}', ':', ',', 'constructo', 'r', '__pro',
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
const { tree } = fc.letrec<{ tree: Json; list: readonly Json[]; object: { [key: string]: Json } }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small', maxDepth: 6 }, text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(true, null), tie('list'), tie('object')),
  list: fc.array(tie('tree'), { maxLength: 4 }),
  object: fc.dictionary(text, tie('tree'), { maxKeys: 5 }),
}));

/** The same document as another writer may write it. */
const written = fc.tuple(tree, fc.constantFrom(undefined, 1, '\t'), fc.boolean(), fc.constantFrom('', ' ', '\n', '\r\n\t')).map(([value, indent, isAscii, edge]) => {
  const json = JSON.stringify(value, undefined, indent);
  const escaped = isAscii ? json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : json.toWellFormed();
  return edge + escaped + edge;
});

describe('JSON in a text', () => {
  it('says what its value says after cleaning', () => {
    fc.assert(
      fc.property(written, (source) => {
        expect(readJson(cleanJsonText(source, clean) ?? 'null')).toEqual(cleanJson(readJson(source), clean));
      }),
      lawRuns(2_000),
    );
  });

  it('is read here as it stands, whatever was read before', () => {
    const names = (source: string) => Object.keys(Object(readJson(source)));
    expect(names('{"k":0,"a\\\\":1}')).toEqual(['k', 'a\\']);
    expect(names('{"k":0,"a\\n":1}')).toEqual(['k', 'a\n']);
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(written, (source) => {
        const once = cleanJsonText(source, clean);
        expect(once === undefined ? undefined : cleanJsonText(once, clean)).toBe(once);
      }),
      lawRuns(2_000),
    );
  });

  it('stays what it is to the byte where nothing is to be cleaned', () => {
    fc.assert(fc.property(written, (source) => cleanJsonText(source, (inner) => inner) === source || source.includes('\\ud')), lawRuns(500));
  });

  it('is JSON to nobody else when it is none here, and the other way round', () => {
    const fragment = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"\\u0041"', '"\\x"', '1', '-0.5e3', '01', 'true', 'nul', ' ', '');
    fc.assert(
      fc.property(fc.oneof(fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('')), written), (source) => {
        expect(cleanJsonText(source, (inner) => inner) !== undefined).toBe(isJson(source));
      }),
      lawRuns(5_000),
    );
  });

  it('cleans each document of JSON lines by itself', () => {
    fc.assert(
      fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), (documents) => {
        const lines = documents.map((document) => JSON.stringify(document));
        const alone = lines.map((line) => cleanJsonText(line, clean));
        expect(cleanJsonText(lines.join('\n'), clean)).toBe(alone.join('\n'));
      }),
      lawRuns(500),
    );
  });
});

describe('an object', () => {
  it('keeps as many members as it had, whatever they are called', () => {
    fc.assert(fc.property(tree, (value) => countMembers(cleanJson(value, clean)) === countMembers(value)), lawRuns(2_000));
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const once = cleanJson(value, clean);
        expect(cleanJson(once, clean)).toEqual(once);
      }),
      lawRuns(2_000),
    );
  });
});

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

function countMembers(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((count, item: Json) => count + countMembers(item), value.length);
  return isRecord(value) ? Object.values(value).reduce<number>((count, item) => count + 1 + countMembers(item as Json), 0) : 0;
}
