import { describe, expect, it } from '@jest/globals';
import { redactSecrets, redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { HEX, random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const V = random(32);
const DIGEST = random(40, HEX);
const UUID = '4142e2a1-bf43-43b5-b7cf-6616be3fd4e3';

/** What stands between `«` and `»` is the secret: it alone is masked, and a second look changes nothing. */
function expectMasked(text: string, rule: string): void {
  const masked = text.replaceAll(/«[^»]*»/g, secretMark(rule));
  expect(redact(text.replaceAll(/[«»]/g, ''))).toBe(masked);
  expect(redact(masked)).toBe(masked);
}

describe('a random value of a setting', () => {
  it.each([
    `EXA_API_KEY=«${UUID}»`, `export MISTRAL_API_KEY="«${V}»"`, `DEEPGRAM_API_KEY: «${DIGEST}»`, `{"env":{"EXA_API_KEY":"«${UUID}»"}}`,
    `{\\"APP_TOKEN\\":\\"«${V}»\\"}`, `TOKEN=«${V}»`, `DB_PASSWORD='«${V}»'`, `SESSION_SECRET = «${V}»\n`, `-e APP_SECRET=«${V}» image`,
    `apiKey: '«${V}»',`, `api_key = "«${DIGEST}»"`, `client_secret=«${V}»&a=b`, `authToken: "«${V}»"`, `"bot-token": "«${V}»"`, `password: «${V}»`,
    `X-Auth-Token: «${DIGEST}»`, `PRIVATE-TOKEN: «${V}»`, `deploy --token «${V}» --force`, `deploy --api-key=«${V}»`, `GITHUB_TOKEN=3D«${V}»`,
  ])('%s', (text) => expectMasked(text, 'named-secret'));

  it.each([
    `https://x.example/?access_token=«${V}»`, `/v1?a=b&api_key=«${DIGEST}»#c`, `?a=b&amp;token=«${V}»`, `https://b.example/o?X-Amz-Signature=«${random(64, HEX)}»`,
  ])('of a query: %s', (text) => expectMasked(text, 'url-token'));

  it('is a member of an object, too', () => {
    const value = { env: { EXA_API_KEY: UUID, LOG_LEVEL: V }, list: [{ name: 'APP_TOKEN', value: V }] };
    const masked = { env: { EXA_API_KEY: secretMark('named-secret'), LOG_LEVEL: V }, list: [{ name: 'APP_TOKEN', value: secretMark('named-secret') }] };
    expect(redactSecrets(value, { detector, toolName: 't' })).toEqual(masked);
  });

  it('has the name of the rule that knows it by more than a name', () => {
    expectMasked(`GITHUB_TOKEN=«ghp_${random(36)}»`, 'github-token');
    expectMasked(`?token=«ghp_${random(36)}»`, 'github-token');
    expectMasked(`APP_TOKEN=«ghp_${random(36)}.and-more»`, 'github-token');
    expectMasked(`//r.example/:_authToken=«${V}»`, 'npmrc-auth');
  });
});

describe('what is no such value', () => {
  it('stands under a name that a mark took a part of: the first look found none there', () => {
    const text = `${secretMark('tavily-key')}ACCESS_KEY="${V}"`;
    expect(redact(text)).toBe(text);
  });

  it.each([
    `PUBLIC_KEY=${V}`, `RECAPTCHA_SITE_KEY=${V}`, `CACHE_KEY=${DIGEST}`, `NEXT_PAGE_TOKEN=${V}`, `PARTITION_KEY=${V}`, `CSRF_TOKEN=${V}`,
    `key: "${V}"`, `token: ${V}`, `secret = ${V}`, `KEY=${V}`, `hash=${DIGEST}`, `LOG_LEVEL=${V}`, `?key=${V}`, `?id=${UUID}`, `?alt=media&token=${UUID}`,
    'API_KEY=your-api-key-goes-here-1234', 'API_KEY=process.env.OTHER_API_KEY_2', 'apiKey: getApiKeyFromTheEnvironment2(', 'apiKey: config.apiKeys.production1',
    'SECRET_KEY=my-super-secret-key-123', 'APP_TOKEN=xxxxxxxxxxxxxxxxxxxxxxx1', 'API_TOKEN=abcabcabcabc123123123', 'API_TOKEN=1234567890123456789', 'APP_PASSWORD=correct-horse-battery-staple',
    `TOKEN=${V.slice(0, 13)}`, `apiKey = ${V}(`, `apiKey = ${V}[0]`, 'API_VERSION_KEY=v1.2.3-beta.4-20231010', `--token-file ${V}`, `note on token ${V}`,
  ])('%s', (text) => expect(redact(text)).toBe(text));
});

describe('credentials behind any word in an Authorization header', () => {
  it.each(['SSWS', 'Klaviyo-API-Key', 'GenieKey', 'DeepL-Auth-Key'])('%s', (scheme) => expectMasked(`Authorization: ${scheme} «${V}»`, 'authorization'));

  it('have to look like a key', () => {
    for (const words of ['Authorization: the following-header', 'authorization: none required12', `Authorization: SSWS ${V.slice(0, 15)}`, 'authorization: request headers2authorization3']) expect(redact(words)).toBe(words);
  });
});
