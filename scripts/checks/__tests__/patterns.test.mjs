import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSlowLoops } from '../backtracking/ambiguity.mjs';
import { checkPatterns, patternsOf } from '../patterns.mjs';

const kindsOf = (source, flags) => [...new Set(findSlowLoops(source, flags).map(({ kind }) => kind))].join(' ');

/** A quoted password, as `secrets/netrc.ts` had it: 90 characters stopped devs. */
const quoted = String.raw`(?<mark>\\{0,4}["'])(?<quoted>(?:(?!\k<mark>)(?:\\.|[^\n])){1,1024})\k<mark>`;
/** An entry of a manifest, as `secrets/kubernetes-secrets.ts` had it: 16,000 tabs stopped devs. */
const entry = String.raw`^(\s*[^\s:#][^:\n]{0,256}:[ \t]+["']?)(.*?)["']?\s*(?:\s#.*)?$`;

const rows = [
  ['^(a+)+$', '', 'exponential'],
  ['^(?:a|a)*$', '', 'exponential'],
  ['^(?:ab|a|b)*$', '', 'exponential'],
  ['^(?:a*b*)*$', '', 'exponential'],
  ['^(?:\\w{1,16})*$', '', 'exponential'],
  ['^(?:x+x+)+y', '', 'exponential'],
  ['^(?:a|A)*$', 'i', 'exponential'],
  ['^(?:\\p{L}|é)*$', 'u', 'exponential'],
  [quoted, 'y', 'exponential'],
  ['^a*a*$', '', 'polynomial'],
  ['^(?:ab)*(?:ab)*$', '', 'polynomial'],
  ['(?:(?=a*)b|a)*c', 'y', 'polynomial'],
  [entry, '', 'polynomial'],
  ['a+b', '', 'search'],
  ['\\s+$', '', 'search'],
  ['^\\s+$', 'm', 'search'],
  ['a.*b', 'g', 'search'],
];

for (const [source, flags, kind] of rows) {
  test(`slow: /${source}/${flags}`, () => assert.match(kindsOf(source, flags), new RegExp(kind)));
}

const quick = [
  ['^(?:ab|cd)*$', ''],
  ['^(?:a|b)*$', ''],
  ['^a*b*c*$', ''],
  ['a+', 'g'],
  ['^a+b', ''],
  ['a+b', 'y'],
  ['(?<!\\s)\\s+$', ''],
  ['"[^"]*"', 'y'],
  ['^(?:(?!x)[^\\n]|x)*$', ''],
  ['^(?:(?=a)\\w|b)*$', ''],
  ['^(?:a?){0,3}$', ''],
  ['^(?:[^a]|a)*a', 'y'],
  [quoted.replace('[^\\n]', '[^\\\\\\n]'), 'y'],
];

for (const [source, flags] of quick) {
  test(`not slow: /${source}/${flags}`, () => assert.equal(kindsOf(source, flags), ''));
}

test('what it says of a text is so: each repetition doubles the time', () => {
  const [{ before, pump }] = findSlowLoops(quoted, 'y');
  const pattern = new RegExp(quoted, 'y');
  const timeOf = (count) => {
    const start = process.cpuUsage();
    pattern.lastIndex = 0;
    assert.equal(pattern.test(before + pump.repeat(count)), false);
    return process.cpuUsage(start).user;
  };
  let count = 1;
  while (timeOf(count) < 20_000) count += 1;
  assert.ok(count < 40);
});

const file = 'packages/core/src/a.ts';
const messagesOf = (text, { made = [], later = [] } = {}) => checkPatterns(new Map([[file, text]]), () => made, later).map(({ line, message }) => `${line} ${message}`);

test('literals, with and without a reason', () => {
  assert.match(messagesOf('const a = 1;\nconst b = /(a+)+b/;').join('\n'), /^2 This pattern may take too long: each "a" behind "a" doubles the work/);
  assert.deepEqual(messagesOf('// slow pattern: on one word of the operator\nconst b = /(a+)+b/;'), []);
  assert.match(messagesOf('// slow pattern:\nconst b = /(a+)+b/;').join('\n'), /^2 This pattern/);
  assert.match(messagesOf('// slow pattern: no more\nconst b = /ab/;').join('\n'), /^1 This gives a reason/);
});

test('what cannot be looked at is a finding', () => {
  assert.match(messagesOf(`const a = /(?:${'(?:ab|cd|ef|gh){40}'.repeat(6)})+x/;`).join('\n'), /^1 This pattern may take too long: the pattern has too many states/);
  assert.match(messagesOf('const a = /(?<a>x)(?<a>y)/;').join('\n'), /^1 This pattern may take too long/);
});

test('patterns that are made of parts', () => {
  const text = 'const PARTS = "(a+)+";\nconst b = new RegExp(`${PARTS}b`);';
  assert.match(messagesOf(text).join('\n'), /^2 `.+`: nobody has looked at this pattern/);
  assert.match(messagesOf(text, { made: [{ file, line: 2, source: '(a+)+b', flags: '' }] }).join('\n'), /^2 This pattern may take too long/);
  assert.deepEqual(messagesOf(text, { made: [{ file, line: 2, source: 'a+', flags: '' }] }), []);
  assert.deepEqual(messagesOf(text, { later: [{ file, made: '`${PARTS}b`', reason: 'a test' }] }), []);
  assert.match(messagesOf('', { later: [{ file, made: 'gone', reason: 'a test' }] }).join('\n'), /has a reason for `gone`/);
});

test('a copy of a literal of the file is no pattern of its own', () => {
  assert.deepEqual(patternsOf(new Map([[file, 'const A = /a/;\nconst b = new RegExp(A);']])).sites, []);
});
