import { describe, expect, it } from '@jest/globals';
import { base64Url, random } from '../secrets/__tests__/samples.ts';
import { createPipeline, NOTICE_ID } from './pipeline-scene.ts';

const token = `ghp_${random(36)}`;
const dashes = '-'.repeat(5);
const keyLines = Array.from({ length: 6 }, (_, index) => base64Url(random(48 + index)).slice(0, 64));
const [header, footer] = [`${dashes}BEGIN PRIVATE KEY${dashes}`, `${dashes}END PRIVATE KEY${dashes}`];
const mark = (rule: string) => `[REDACTED:secret:${rule}]`;

/** Of texts side by side, what is left of each. */
function cleaned(texts: readonly string[], allowedSecrets: readonly { readonly rule: string }[] = []): { readonly texts: readonly string[]; readonly counts: unknown; readonly findings: unknown } {
  const { result, report } = createPipeline({ sanitize: { allowedSecrets } })({ content: texts.map((text) => ({ type: 'text', text })) });
  return { texts: result.content.map((block) => (block.type === 'text' ? block.text : block.type)), counts: report.counts, findings: report.findings };
}

describe('a secret over the edge of two texts', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['in halves', [`a ${token.slice(0, 20)}`, `${token.slice(20)} b`], [`a ${mark('github-token')}`, `${mark('github-token')} b`]],
    ['in three pieces', [token.slice(0, 9), token.slice(9, 20), token.slice(20)], Array.from({ length: 3 }, () => mark('github-token'))],
    ['at the ends of long texts', [`${'a '.repeat(900)}${token.slice(0, 20)}`, `${token.slice(20)}${' b'.repeat(900)}`], [`${'a '.repeat(900)}${mark('github-token')}`, `${mark('github-token')}${' b'.repeat(900)}`]],
  ])('is masked in each: %s', (_name, texts, expected) => expect(cleaned(texts).texts).toEqual(expected));

  it.each<[string, readonly string[]]>([
    ['a line each', [header, ...keyLines, footer]],
    ['pieces of it', [`${header}\n${keyLines.slice(0, 3).join('\n')}\n${keyLines[3]?.slice(0, 20) ?? ''}`, `${keyLines[3]?.slice(20) ?? ''}\n${keyLines.slice(4).join('\n')}\n${footer}`]],
  ])('is masked where it is a key: %s', (_name, texts) => {
    const shown = cleaned(texts).texts.join('\n');
    expect(keyLines.filter((line) => shown.includes(line.slice(0, 16)) || shown.includes(line.slice(-16)))).toEqual([]);
  });

  it('is counted once, with its fingerprint', () => {
    const { counts, findings } = cleaned([token.slice(0, 20), token.slice(20)]);
    expect(counts).toEqual({ 'secrets:github-token': 1 });
    expect(findings).toEqual([{ rule: 'github-token', fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
  });

  it('stays where it is allowed, as do texts that make none', () => {
    const halves = [token.slice(0, 20), token.slice(20)];
    expect(cleaned(halves, [{ rule: 'github-token' }]).texts).toEqual(halves);
    const words = ['see gh', 'p_tokens', 'a key', 'id: 5', `[devs ${NOTICE_ID.slice(0, 4)}`, 'x'];
    expect(cleaned(words).texts).toEqual(words);
  });
});
