import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { SECRET_RULES } from '../rules.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { sampleOf, type FormSample } from './form-samples.ts';
import { PROVIDER_FORMS } from './provider-forms.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const SAMPLES_OF_A_FORM = 8;

/** Looking random is judged, and now and then a random token looks like a name: so many of 100 samples of all forms are masked at least. */
const LEAST_SHARE = 99;

/** Where it stands: among words, and on lines of its own. */
const inText = ({ before, secret, end }: FormSample, gap: string) => `see${gap}${before}${secret}${end}${gap}there`;

/** All of the secret is gone, and what stands around it stays. */
function isMasked(sample: FormSample, gap: string): boolean {
  const [left = '', right = ''] = inText({ ...sample, secret: '\0' }, gap).split('\0');
  const redacted = redact(inText(sample, gap));
  return redacted.startsWith(left) && redacted.endsWith(right) && /^\[REDACTED:secret:[a-z0-9-]+\]$/.test(redacted.slice(left.length, redacted.length - right.length));
}

const rows = PROVIDER_FORMS.map(([rule, form]) => {
  const gap = form.includes('\n') ? '\n' : ' ';
  const samples = Array.from({ length: SAMPLES_OF_A_FORM }, (_, number) => sampleOf(form, number));
  return { rule, form, gap, samples, masked: samples.filter((sample) => isMasked(sample, gap)) };
});

describe('the forms of providers', () => {
  it('are many, each once, and of rules that there are', () => {
    expect(PROVIDER_FORMS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(PROVIDER_FORMS.map(([, form]) => form)).size).toBe(PROVIDER_FORMS.length);
    const rules = new Set(SECRET_RULES.map(({ id }) => id));
    expect(PROVIDER_FORMS.filter(([rule]) => !rules.has(rule))).toEqual([]);
  });

  it('are masked: of each form nearly all samples, and of all samples 99 of 100', () => {
    expect(rows.filter(({ masked }) => masked.length < SAMPLES_OF_A_FORM - 1).map(({ form }) => form)).toEqual([]);
    const share = (100 * rows.reduce((sum, { masked }) => sum + masked.length, 0)) / (SAMPLES_OF_A_FORM * rows.length);
    expect(share).toBeGreaterThanOrEqual(LEAST_SHARE);
  });

  it.each(rows)('$form is called $rule', ({ rule, gap, masked: [sample] }) => {
    if (sample === undefined) throw new Error('no sample is masked');
    const redacted = redact(inText(sample, gap));
    expect(redacted).toBe(inText({ ...sample, secret: secretMark(rule) }, gap));
    expect(redact(redacted)).toBe(redacted);
  });
});
