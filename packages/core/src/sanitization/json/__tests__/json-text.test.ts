import { describe, expect, it, jest } from '@jest/globals';
import { DevsError } from '../../../errors.ts';
import { Tally } from '../../pipeline/tally.ts';
import { cleanJson } from '../clean-json.ts';
import { cleanJsonText, twinOf } from '../json-text.ts';

const clean = (text: string, key?: string) => {
  const seen = text.replace(/[\u200b\u0000\u001b]/g, '').replaceAll('ghp_x', '[mark]');
  return key === 'password' ? '[mark]' : seen;
};

describe('what is cleaned', () => {
  it.each<[string, string, string]>([
    ['a value', '{"a":"ghp_x"}', '{"a":"[mark]"}'],
    ['a name', '{"ghp_x":1}', '{"[mark]":1}'],
    ['a token that an escape hides', '["gh\\u200bp_x"]', '["[mark]"]'],
    ['a token of escapes alone', '["\\u0067\\u0068\\u0070_x"]', '["[mark]"]'],
    ['a control that is escaped', '["\\u001b[2J\\u0000"]', '["[2J"]'],
    ['a half of a pair', '["\\ud83d"]', '["\ufffd"]'],
    ['two halves in two texts', '["\\ud83d","\\ude00"]', '["\ufffd","\ufffd"]'],
    ['a text of digits, which is a text', '["12\\u200b34"]', '["1234"]'],
    ['a text under a name', '{"password":"p","a":{"b":"c"}}', '{"password":"[mark]","a":{"b":"c"}}'],
    ['a list under a name', '{"password":[["p"],{"a":"b"},"q"],"c":"d"}', '{"password":[["[mark]"],{"a":"b"},"[mark]"],"c":"d"}'],
    ['a text under a name that is hidden', '{"pass\\u200bword":"p"}', '{"password":"[mark]"}'],
    ['numbers, order, doubles and white space stay', ' {"b" : 1.50e+1,\r\n\t"a":-0, "a":"ghp_x","big":9007199254740993 } ', ' {"b" : 1.50e+1,\r\n\t"a":-0, "a":"[mark]","big":9007199254740993 } '],
    ['escapes stay where nothing changes', '["caf\\u00e9 \\/ \\n",\t"ghp_x"]', '["caf\\u00e9 \\/ \\n",\t"[mark]"]'],
    ['what is written anew is escaped again', '["\\"\\u200b\\\\\\n"]', '["\\"\\\\\\n"]'],
    ['one document a line', '{"a":"ghp_x"}\n\n{"a":1}\r\n"gh\\u200bp_x"\n', '{"a":"[mark]"}\n\n{"a":1}\r\n"[mark]"\n'],
    ['a name that becomes another', '{"a\\u200b":"no","a":"yes","a\\u200b":"no"}', '{"a (2)":"no","a":"yes","a (2)":"no"}'],
    ['each object by itself', '[{"a\\u200b":1,"a":{"a\\u200b":2}},{"a\\u200b":3}]', '[{"a (2)":1,"a":{"a":2}},{"a":3}]'],
    ['a raw control in a text, which many readers take', '["gh\u001bp_x\\n"]', '["[mark]\\n"]'],
  ])('%s', (_name, source, expected) => {
    expect(cleanJsonText(source, clean)).toBe(expected);
    expect(cleanJsonText(expected, clean)).toBe(expected);
  });

  it('counts names that were kept apart', () => {
    const tally = new Tally();
    cleanJsonText('[{"a\\u200b":1,"a":2},{"\\u200b":1,"":2}]', clean, tally);
    expect(tally.counts).toEqual({ 'objects:key-collision': 2 });
  });
});

describe('what is no JSON', () => {
  it.each([
    '', ' ', 'text', '{', '}', '[', '{]', '[}', '{"a"}', '{"a":}', '{"a":1,}', '[1,]', '[,1]', '[1 2]', '{a:1}', "['a']", '["a]', '["\\x"]',
    '["\\u12g4"]', '01', '1.', '.5', '+1', '-', '1e', 'tru', 'truex', 'nul', 'NaN', '{"a":1}{"b":2}', '{"a":1} {"b":2}', '{"a":1}\ntext', '[1]]',
    '// a\n[1]', '{"a":1}\n}', '"a":1', '{"a" 1}', '[1}', '{"a":1]', '{1:2}', '{"a":1:2}', '["\\"]', '\ufeff[1]',
  ])('%j', (source) => {
    expect(cleanJsonText(source, clean)).toBeUndefined();
  });
});

describe('hostile texts', () => {
  it.each<[string, string]>([
    ['a million opening brackets', '['.repeat(1_000_000)],
    ['a million levels', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
    ['a million objects in each other', '{"a":'.repeat(300_000) + '1' + '}'.repeat(300_000)],
    ['quotes', '"'.repeat(1_000_001)],
    ['backslashes', `["${'\\\\'.repeat(500_000)}"]`],
    ['an end that never comes', `["${'\\"'.repeat(500_000)}`],
    ['many texts and one backslash far behind', `[${'"a",'.repeat(250_000)}"\\n"]`],
  ])('%s', (_name, source) => {
    expect([source, undefined]).toContain(cleanJsonText(source, clean));
  });

  it('reads the escapes of a secret however deep it lies', () => {
    const [open, close] = ['['.repeat(100_000), ']'.repeat(100_000)];
    expect(cleanJsonText(`${open}"gh\\u200bp_x"${close}`, clean)).toBe(`${open}"[mark]"${close}`);
  });

  it('looks for the next backslash once, not from each text to the end', () => {
    const source = `[${'"a",'.repeat(1_000)}"\\n"]`;
    const indexOf = jest.spyOn(String.prototype, 'indexOf');
    try {
      cleanJsonText(source, (inner) => inner);
      expect(indexOf.mock.calls.filter(([sought]) => sought === '\\').length).toBeLessThan(10);
    } finally {
      indexOf.mockRestore();
    }
  });

  it.each<[string, (names: readonly string[]) => string]>([
    ['in one object', (names) => `{${names.map((name) => `${name}:1`).join(',')}}`],
    ['in many objects', (names) => `[${names.map((name) => `{${name}:1}`).join(',')}]`],
    ['in an object that has no end', (names) => `{${names.map((name) => `${name}:1`).join(',')}, "end": 1`],
  ])('is withheld when too many names have to be cleaned %s', (_name, write) => {
    const names = Array.from({ length: 100_001 }, (_, index) => `"\\u200b${String(index % 5_000)}"`);
    expect(() => cleanJsonText(write(names), clean)).toThrow(DevsError);
    expect(() => cleanJsonText(write(names.slice(2)), clean)).not.toThrow();
  });

  it('is withheld when more than 5,000 different names have to be cleaned', () => {
    const write = (names: readonly string[]) => JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const names = Array.from({ length: 5_001 }, (_, index) => `\u200b${String(index)}x`);
    expect(() => cleanJsonText(write(names), clean)).toThrow(DevsError);
    expect(() => cleanJsonText(write(names.slice(1)), clean)).not.toThrow();
    expect(() => cleanJson(Object.fromEntries(names.map((name) => [name, 1])), clean)).toThrow(DevsError);
    expect(() => cleanJson(Object.fromEntries(names.slice(1).map((name) => [name, 1])), clean)).not.toThrow();
  });
});

it.each(['["password","","a"]', '["password",5,"a"]', '["password",null,"a"]', '["password",{"b":1},"a"]', '["password",["b"],"a"]', '[["password",["a"]]]', '{"c":["password",["a",["b"]],"d"]}', '{"c":["password","","a"]}', '[["password"],"a"]'])(
  'a name in a list tells of the value right behind it alone, as in structured content: %s',
  (text) => {
    const byName = (word: string, name?: string) => (name === 'password' ? '[REDACTED]' : word);
    expect(JSON.parse(cleanJsonText(text, byName) ?? 'null')).toEqual(cleanJson(JSON.parse(text), byName));
  },
);

it('a text that is a document by itself is no name of the next', () => {
  const byName = (word: string, name?: string) => (name === 'password' ? '[REDACTED]' : word);
  expect(cleanJsonText('"password"\n"a"\n["password","b"]', byName)).toBe('"password"\n"a"\n["password","[REDACTED]"]');
});

describe('the text that says the same as the structured content', () => {
  const raw = { b: 'ghp_x', a: [1, { c: null }] };
  const cleaned = cleanJson(raw, clean);

  it.each<[string, string, string | undefined]>([
    ['compact', JSON.stringify(raw), JSON.stringify(cleaned)],
    ['on many lines', JSON.stringify(raw, undefined, 2), JSON.stringify(cleaned, undefined, 2)],
    ['with tabs', JSON.stringify(raw, undefined, '\t'), JSON.stringify(cleaned, undefined, '\t')],
    ['in another order', '{"a":[1,{"c":null}],"b":"ghp_x"}', JSON.stringify(cleaned)],
    ['with escapes', '{"a":[1.0,{"c":null}],"b":"\\u0067hp_x"}', JSON.stringify(cleaned)],
    ['something else', '{"a":[1,{"c":null}],"b":"ghp_y"}', undefined],
    ['more', '{"a":[1,{"c":null}],"b":"ghp_x","d":1}', undefined],
    ['less', '{"b":"ghp_x"}', undefined],
    ['no JSON', 'b is ghp_x', undefined],
    ['levels without end', '['.repeat(1_000_000) + ']'.repeat(1_000_000), undefined],
  ])('%s', (_name, text, expected) => {
    expect(twinOf({ raw: text, cleaned: text }, { raw, cleaned })).toBe(expected);
  });

  it('is not even parsed when it is deeper than the structured content may be: that takes seconds', () => {
    const parse = jest.spyOn(JSON, 'parse');
    try {
      const deep = '['.repeat(60) + ']'.repeat(60);
      expect(twinOf({ raw: deep, cleaned: deep }, { raw, cleaned })).toBeUndefined();
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  it('stays as it was cleaned when it says the same as the structured content then: its numbers have digits that parsing loses', () => {
    const text = '{ "n": 12345678901234567890, "f": 1.0, "b":"ghp_x" }';
    const structured: unknown = JSON.parse(text);
    const masked = cleanJson(structured, clean);
    const shown = cleanJsonText(text, clean) ?? '';
    expect(shown).toContain('{ "n": 12345678901234567890, "f": 1.0, "b":');
    expect(twinOf({ raw: text, cleaned: shown }, { raw: structured, cleaned: masked })).toBeUndefined();
    expect(twinOf({ raw: text, cleaned: `${shown}}` }, { raw: structured, cleaned: masked })).toBe(JSON.stringify(masked));
  });

  it('stays as it is when nothing was cleaned', () => {
    expect(twinOf({ raw: '{"a": 1}', cleaned: '{"a": 1}' }, { raw: { a: 1 }, cleaned: { a: 1 } })).toBeUndefined();
  });

  it('is never what a getter says the second time', () => {
    let reads = 0;
    const shifty = Object.defineProperty({}, 'a', { enumerable: true, get: () => { throw new Error(String((reads += 1))); } });
    expect(twinOf({ raw: '{"a":1}', cleaned: '{"a":1}' }, { raw: shifty, cleaned: { a: 2 } })).toBeUndefined();
  });
});
