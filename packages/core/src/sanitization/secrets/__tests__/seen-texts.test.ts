import { describe, expect, it } from '@jest/globals';
import { redactSecrets, redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { SeenTexts } from '../seen-texts.ts';

const TOKEN = `ghp_${'a8Kd02LmQz71XyPvRt55WsNbCe46GhJkMnPq'}`;

function make() {
  const allowed = [{ rule: 'github-token', tool: 'trusted' }];
  return createSecretDetector({ enabled: true, allowed, injected: [], fingerprintKey: new Uint8Array(32) });
}

describe('texts in which no secret was seen', () => {
  it('are clean for the tool for which they were seen alone', () => {
    const redaction = { detector: make(), seen: new SeenTexts() };
    expect(redactText(TOKEN, { ...redaction, toolName: 'trusted' })).toBe(TOKEN);
    expect(redactText(TOKEN, { ...redaction, toolName: 'other' })).toBe('[REDACTED:secret:github-token]');
  });

  it('are not clean for a tool whose name begins as theirs ends', () => {
    const seen = new SeenTexts();
    seen.noteClean('b c', 'a');
    expect([seen.isClean('b c', 'a'), seen.isClean('c', 'a b'), seen.isClean('a b c', '')]).toEqual([true, false, false]);
  });

  it('say nothing of a value under a name that tells what it is', () => {
    const redaction = { detector: make(), seen: new SeenTexts(), toolName: 't' };
    const value = 'a8Kd02LmQz71XyPvRt55WsNbCe46GhJkMnPq+/7a';
    expect(redactText(value, redaction)).toBe(value);
    expect(redactSecrets({ aws_secret_access_key: value }, redaction)).toEqual({ aws_secret_access_key: '[REDACTED:secret:aws-secret-access-key]' });
  });

  it('are forgotten before they are many, and never kept when they are long', () => {
    const seen = new SeenTexts();
    seen.noteClean('first', 't');
    for (let index = 0; index < 999; index += 1) seen.noteClean(String(index), 't');
    expect(seen.isClean('first', 't')).toBe(true);
    seen.noteClean('one more', 't');
    expect([seen.isClean('first', 't'), seen.isClean('one more', 't')]).toEqual([false, true]);
    seen.noteClean('x'.repeat(256), 't');
    expect(seen.isClean('x'.repeat(256), 't')).toBe(false);
  });
});
