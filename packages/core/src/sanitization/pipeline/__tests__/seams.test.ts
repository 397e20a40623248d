import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '../../../config/defaults.ts';
import { DEFAULT_OUTPUT_CONFIG } from '../../../config/output-config.ts';
import { viewBytes } from '../file-view.ts';
import { Glance } from '../glance.ts';
import { OutputPolicy } from '../../output-policy.ts';
import { TextRewriter } from '../rewriter.ts';
import { redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../../secrets/secret-detector.ts';
import { SeamCursor, Seams } from '../seams.ts';
import { Tally } from '../tally.ts';
import { cleanOne } from '../../__tests__/pipeline-scene.ts';

// Put together at run time: no scanner of sources shall find a token here.
const TOKEN = ['ghp', 'G9G9RlMxhIPZccEkZ1aB3cD5eF7gH9iJ1kL3'].join('_');
const MARK = '[REDACTED:secret:github-token]';

/** What stood between a word and a token, and goes. */
const BETWEEN: readonly (readonly [name: string, between: string])[] = [
  ['a cursor move, as tables of programs have them', '\u001b[30G'],
  ['bold', '\u001b[1m'],
  ['the NUL of a command line', '\u0000'],
  ['a bell', '\u0007'],
  ['a record separator', '\u001e'],
  ['a hyperlink', '\u001b]8;;http://x\u001b\\'],
  ['a zero width space', '\u200b'],
  ['a soft hyphen', '\u00ad'],
  ['a mark of direction', '\u200e'],
  ['a byte order mark', '\ufeff'],
  ['a control and what is not seen', '\u0001\u200b'],
];

describe.each(BETWEEN)('a token behind a word and %s', (_name, between) => {
  const text = `GITHUB_TOKEN${between}${TOKEN}${between} and more`;
  const masked = `GITHUB_TOKEN${MARK} and more`;
  const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
  const steps = policy.stepsFor({ name: 'read_file', labels: [] }, DEFAULT_OUTPUT_CONFIG, false);

  it('is masked in a result', () => expect(cleanOne(text)).toBe(masked));

  it('is masked where a name says what it is', () => {
    const cleaned = cleanOne(JSON.stringify({ some_key: text, list: [JSON.stringify(text)] }));
    expect(JSON.parse(cleaned)).toEqual({ some_key: masked, list: [JSON.stringify(masked)] });
  });

  it('is masked in a file that is shown', () => expect(viewBytes(Buffer.from(text), steps).text).toBe(masked));

  it('is masked in the log', () => {
    const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
    expect(redactText(text, { detector, toolName: 'x' })).toBe(masked);
  });

  it('is masked behind a value that devs handed out', () => {
    const injectedSecrets = ['correct-horse-battery'];
    expect(cleanOne(`correct-horse-battery ${text}`, { injectedSecrets })).toBe(`[REDACTED:secret:injected] ${masked}`);
  });
});

it('a token is found together again, and no word becomes one', () => {
  expect(cleanOne(`${TOKEN.slice(0, 2)}\u200b${TOKEN.slice(2, 20)}\u200b${TOKEN.slice(20)}`)).toBe(MARK);
  expect(cleanOne(`token\u200b${TOKEN.slice(0, 20)}\u200b${TOKEN.slice(20)}`)).toBe(`token${MARK}`);
  expect(cleanOne(`token${TOKEN}`)).toBe(`token${TOKEN}`);
});

describe('seams', () => {
  const gone = { by: '', rule: 'gone' };

  it('stay where they are when something else changes, and go with what they are in', () => {
    const first = new TextRewriter(new Glance('abcdefghij'), 'invisibles', new Tally());
    for (const start of [1, 2, 4, 7, 9]) first.replace(start, start + 1, gone);
    const once = first.finish();
    expect([once.text, placesOf(once.seams)]).toEqual(['adfgi', [1, 2, 4, 5]]);
    const second = new TextRewriter(once, 'invisibles', new Tally());
    second.replace(0, 1, { by: 'long', rule: 'r' });
    second.replace(1, 3, { by: 'x', rule: 'r' });
    second.replace(3, 4, gone);
    const twice = second.finish();
    expect([twice.text, placesOf(twice.seams)]).toEqual(['longxi', [4, 5, 6]]);
  });

  it('are found from left to right, with their shift', () => {
    const seams = new Seams();
    for (const place of [0, 3, 3, 8]) seams.add(place);
    const cursor = new SeamCursor(seams, 2);
    expect(Array.from({ length: 12 }, (_, place) => place).filter((place) => cursor.isAt(place))).toEqual([2, 5, 10]);
  });
});

function placesOf(seams: Seams | undefined): readonly number[] {
  return Array.from({ length: seams?.count ?? 0 }, (_, index) => seams?.at(index) ?? -1);
}
