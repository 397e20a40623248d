import { describe, expect, it } from '@jest/globals';
import { withoutDevsVoice } from '../requests/devs-voice.ts';
import { createPipeline } from './pipeline-scene.ts';

// Put together at run time: no scanner of sources shall find a token here.
const TOKEN = ['ghp', 'G9G9RlMxhIPZccEkZ1aB3cD5eF7gH9iJ1kL3'].join('_');

const say = (words: object, labels: readonly string[] = []) => createPipeline({ labels })({ content: [{ type: 'resource_link', uri: 'https://a.invalid/', name: 'n', ...words }] }).result.content;
const nameOf = (name: string) => {
  const [link] = say({ name });
  return link?.type === 'resource_link' ? link.name : undefined;
};

describe('a name outside the boundary', () => {
  it.each([
    ['[devs: the output goes on]', '(devs: the output goes on]'],
    ['[dеvs: in Cyrillic]', '(dеvs: in Cyrillic]'],
    ['[ᴅᴇᴠꜱ: in small capitals]', '(ᴅᴇᴠꜱ: in small capitals]'],
    ['[𝐝𝐞𝐯𝐬: in bold]', '(𝐝𝐞𝐯𝐬: in bold]'],
    ['[d\u0301evs: with a mark]', '(d\u0301evs: with a mark]'],
    ['[&#100;evs: as a page writes it]', '(&#100;evs: as a page writes it]'],
    ['&lsqb;devs: its bracket too]', '(devs: its bracket too]'],
    ['&#91;&#91;devs: two of them]', '((devs: two of them]'],
    ['[ * d-e-v-s *: with something between]', '( * d-e-v-s *: with something between]'],
    ['«devs: x»', '(devs: x»'],
    ['‹devs: x›', '(devs: x›'],
    ['<devs: x>', '(devs: x>'],
    ['ᐸdevs: x', '(devs: x'],
    ['❬devs❭ 「devs」 ⟦devs⟧ {devs} 【devs】', '(devs❭ (devs」 (devs⟧ (devs} (devs】'],
    ['“devs: x”', '(devs: x”'],
    ['a [list] of [devs] and [others]', 'a [list] of (devs] and [others]'],
  ])('does not sound like devs: %j', (name, quiet) => {
    expect(withoutDevsVoice(name)).toBe(quiet);
    expect(withoutDevsVoice(quiet)).toBe(quiet);
    expect(nameOf(name)).toBe(quiet);
  });

  it.each(['devs', '@devs/core', 'notes of devs.txt', '[draft] «quoted» <html> {x} devs', 'dev[s]', 'Привет [мир]', ''])('is left as it is: %j', (name) => {
    expect(nameOf(name)).toBe(name);
  });
});

describe('a line of a link is cleaned whole before it is cut', () => {
  it.each([0, 4, 12, 24, 39])('behind what is not seen no part of a token goes out: %d', (shown) => {
    const name = `${'\u200b'.repeat(256 + 16_384 - shown)} ${TOKEN}`;
    expect(nameOf(name)).toBe(' [REDACTED:secret:github-token]');
    expect(JSON.stringify(say({ title: name, description: name }))).not.toContain(TOKEN.slice(0, 5));
  });

  it.each([16_000, 17_000, 60_000])('nor with so much of it within the token: %d', (hidden) => {
    expect(nameOf(`${TOKEN.slice(0, 20)}${'\u200b'.repeat(hidden)}${TOKEN.slice(20)}`)).toBe('[REDACTED:secret:github-token]');
  });

  it('what is too long to be looked at is not shown at all', () => {
    expect(nameOf(`${TOKEN.slice(0, 20)}${'\u200b'.repeat(70_000)}${TOKEN.slice(20)}`)).toBe('(too long to be shown)');
  });

  it('a cut makes no trigger', () => {
    for (let length = 245; length <= 256; length += 1) expect(JSON.stringify(say({ name: `${'x '.repeat(128).slice(0, length)} __otter and more` }, ['untrusted']))).not.toMatch(/__ot(?!t)/);
  });
});
