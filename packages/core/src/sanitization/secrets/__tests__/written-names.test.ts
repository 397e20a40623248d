import { describe, expect, it } from '@jest/globals';
import { describeBlock } from '../../../protocol/tool-result.ts';
import { quoteName } from '../../../validation/json-schema/evaluation/words.ts';
import { createScene, describeTool, request } from '../../../tool-proxy/__tests__/scene.ts';
import { OutputPolicy } from '../../output-policy.ts';
import { viewBytes } from '../../pipeline/file-view.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secrets } from '../secrets-step.ts';
import { random } from './samples.ts';

const token = `ghp_${random(36)}`;
const [head, tail] = [token.slice(0, 24), token.slice(24)];
const injected = 'correct-horse-battery-42';
const detector = createSecretDetector({ enabled: true, allowed: [], injected: [injected], fingerprintKey: new Uint8Array(32) });
const find = (text: string) => detector.find(text, { toolName: 't' }).map(({ start, end, rule }) => [text.slice(start, end), rule]);

/** What parts a name without being seen, and how it is written out. */
const HIDDEN: readonly (readonly [name: string, hidden: string])[] = [
  ['a zero-width space', '\u200b'],
  ['two of them', '\u200b\u200c'],
  ['a colour', '\u001b[01;31m'],
  ['a link of a terminal', '\u001b]8;;https://a.example/\u0007'],
  ['a NUL', '\u0000'],
  ['a backspace', '\b'],
  ['a mark of direction', '\u202e'],
  ['a tag character', '\u{e0061}'],
  ['an 8-bit control', '\u0090'],
];

const inAscii = (text: string) => JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('a secret that is parted by what is hidden, where that is written out', () => {
  it.each(HIDDEN)('%s', (_name, hidden) => {
    const written = inAscii(`${head}${hidden}${tail}`).slice(1, -1);
    const before = inAscii(`k${hidden}`).slice(1, -1);
    expect(find(`a "${written}" b`)).toEqual([[written, 'github-token']]);
    expect(find(`"${before}${written}"`)).toEqual([[written, 'github-token']]);
    // Beyond sixty characters it is cut.
    const quoted = quoteName(`${head}${hidden}${tail}`);
    expect(find(quoted)[0]?.[1] ?? quoted).toMatch(/^(?:github-token|"\[\.\.\.\]…")$/);
    expect(find(`"correct-horse${inAscii(hidden).slice(1, -1)}-battery-42"`)[0]?.[1]).toBe('injected');
  });

  it('in other spellings: of programs, twice escaped', () => {
    for (const form of ['\\x1b[31m', '\\033[31m', '\\u{200B}', '\\\\u200b', '\\U0000200b', '\\x00']) {
      expect(find(`'${head}${form}${tail}'`)).toEqual([[`${head}${form}${tail}`, 'github-token']]);
    }
  });

  it('several in one text, each where it stands', () => {
    const written = `${head}\\u200b${tail}`;
    const text = `x\\u200by ${written} z\\u001b[0m ${token} a\\u200bb ${written}\\u200b.`;
    expect(find(text)).toEqual([[written, 'github-token'], [token, 'github-token'], [written, 'github-token']]);
  });

  it('in a long token, to its end', () => {
    const long = `fm2_${random(700)}`;
    const written = `${long.slice(0, 20)}\\u200b${long.slice(20, 300)}\\u200b${long.slice(300)}`;
    expect(find(`a ${written} b`)).toEqual([[written, 'fly-token']]);
  });

  it.each(['a\\u200b', 'k\\u001b[31mghp_\\u200b', 'aaaaaaaaaaaaaa\\x1b]'])('a long text of %s is gone over once: the square of it would take minutes', (row) => {
    expect(find(row.repeat(120_000 / row.length))).toEqual([]);
  }, 60_000);

  it('what is written out and can be seen parts it: it says something else', () => {
    for (const form of ['\\n', '\\u0041', '\\x41', '\\t']) expect(find(`${head}${form}${tail}`)).toEqual([]);
  });

  it('is masked in the view of a file where its bytes stand', () => {
    const text = `a = "${head}\\u200b${tail}";\n`;
    const view = viewBytes(Buffer.from(text), [secrets(detector, 'read_file')]);
    expect(view.text).toBe('a = "[REDACTED:secret:github-token]";\n');
    expect([...view.alterationsIn(0, view.text.length)]).toMatchObject([{ source: { start: 5, end: text.length - 3 }, kind: 'masked' }]);
  });
});

describe('names that devs quotes', () => {
  const policy = new OutputPolicy({ sanitize: { boundaries: 'on-request', structured: 'fence', secrets: true, triggers: [], allowedSecrets: [], maxSamplingTokens: 1 } });

  it.each(HIDDEN)('%s: of an argument, a tool, an entry of a folder, in answers and in the log', async (_name, hidden) => {
    const name = `k${hidden}${head}${hidden}${tail}`;
    const scene = createScene({
      tools: [describeTool()],
      execute: () => ({ content: [{ type: 'text', text: `a.txt\n${inAscii(name)}\n` }] }),
      options: { outputPolicy: policy },
    });
    const answers = [
      await scene.proxy.execute(request({ args: { path: 'a', [name]: 1 } })),
      await scene.proxy.execute(request({ toolName: name })),
      await scene.proxy.execute(request()),
    ];
    const said = answers.flatMap(({ content }) => content.map(describeBlock)).join('\n') + JSON.stringify([scene.records, scene.intents, scene.events]);
    expect(said).toContain('[REDACTED:secret:github-token]');
    for (const half of [head.slice(4), tail]) expect(said).not.toContain(half);
  });
});
