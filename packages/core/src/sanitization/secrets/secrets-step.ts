import type { TextStep } from '../pipeline/text-step.ts';
import { namesSecret } from './named-values.ts';
import type { SecretDetector } from './secret-detector.ts';

/** Of one text. Enough to find what is no secret; a hostile text holds a million. */
const MOST_FINGERPRINTS = 20;

/** `[REDACTED:secret:<rule>]`, what stands in the place of a secret. */
export function secretMark(rule: string): string {
  return `[REDACTED:secret:${rule}]`;
}

/**
 * The step that puts a mark in the place of each secret. With the name of the member whose value the text is, it also
 * finds what only its name tells.
 */
export function secrets(detector: SecretDetector, toolName: string, memberName?: string): TextStep {
  return {
    name: 'secrets',
    rewrite(text, rewriter, { seams, work, kinds }) {
      let left = MOST_FINGERPRINTS;
      for (const finding of detector.each(text, { toolName, memberName, seams, work, kinds })) {
        const { start, end, rule } = finding;
        const change = { by: secretMark(rule), rule };
        rewriter.replace(start, end, left > 0 ? { ...change, fingerprint: finding.fingerprint } : change);
        left -= 1;
      }
    },
    forMember: (name) => (namesSecret(name) ? secrets(detector, toolName, name) : undefined),
  };
}
