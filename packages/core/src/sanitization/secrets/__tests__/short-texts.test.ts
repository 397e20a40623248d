import { describe, expect, it } from '@jest/globals';
import { createSecretDetector } from '../secret-detector.ts';
import { sampleOf } from './form-samples.ts';
import { PROVIDER_FORMS } from './provider-forms.ts';
import { behind, SAMPLES } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
/** A text this long is searched for each literal alone, a shorter one for all of them at once. */
const PADDING = `\n${' '.repeat(300)}\n`;

function found(text: string, padding: string): readonly string[] {
  return detector.find(padding + text, { toolName: 'tool' }).map(({ start, end, rule }) => `${rule} ${String(start - padding.length)} ${String(end - padding.length)}`);
}

const texts = [
  ...PROVIDER_FORMS.map(([rule, form]) => ({ rule, sample: sampleOf(form, 1) })),
  ...SAMPLES.map(({ rule, before, secret }) => ({ rule, sample: { before, secret, end: behind(rule) } })),
].map(({ rule, sample: { before, secret, end } }) => [rule, before + secret + end] as const);

describe('a short text', () => {
  it.each(texts.filter(([, text]) => text.length <= 256))('is found to hold what a long one holds: %s', (_rule, text) => {
    expect(found(text, '')).toEqual(found(text, PADDING));
  });

  it.each([
    'login: a\nmachine b login c password d1e2f3', 'a:b1c2d3e4@tcp(host)/x', 'a:b1c2d3e4@unix(/s)/x', 'postgres:\\/\\/u:p4ssw0rdX@h\\/d', 'curl -u a:b1c2d3e4 h', 'mysql -pS3cretWord9 db', 'Pwd=x;PWD=S3cretWord9;Server=h',
    'https://a.blob.core.windows.net/c?sv=1&sig=abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO123%3D',
  ])('%j too', (text) => {
    expect(found(text, '')).toEqual(found(text, PADDING));
  });
});
