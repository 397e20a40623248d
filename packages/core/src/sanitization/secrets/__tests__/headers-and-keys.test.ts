import { describe, expect, it } from '@jest/globals';
import { redactSecrets, redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { HEX, random } from './samples.ts';

const injected = 'correct/horse+battery?staple';
const detector = createSecretDetector({ enabled: true, allowed: [], injected: [injected], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const KEY = random(40);
const SESSION = `s%3A${random(32)}.${random(43)}`;
const UUID = `${random(8, HEX)}-${random(4, HEX)}-4${random(3, HEX)}-8${random(3, HEX)}-${random(12, HEX)}`;
const WIREGUARD = `${random(41)}/8=`;
const AZURE = `${random(52)}JQQJ99${random(26)}`;

describe('what is masked, and what stays around it', () => {
  it.each<[name: string, text: string, redacted: string]>([
    ['a key of Azure', `AZURE_OPENAI_API_KEY="${AZURE}"`, 'AZURE_OPENAI_API_KEY="[REDACTED:secret:azure-key]"'],
    ['one in a URL', `https://:${AZURE}/`, 'https://:[REDACTED:secret:azure-key]/'],
    ['a header of curl', `curl -H 'x-api-key: ${KEY}' https://a.example`, `curl -H 'x-api-key: [REDACTED:secret:api-key-header]' https://a.example`],
    ['a header in a program', `headers: { 'X-API-Key': "${KEY}" }`, `headers: { 'X-API-Key': "[REDACTED:secret:api-key-header]" }`],
    ['a header that is a UUID', `X-Api-Key: ${UUID}\r\n`, 'X-Api-Key: [REDACTED:secret:api-key-header]\r\n'],
    ['a header of Go', `map[X-Api-Key:[${KEY}]]`, 'map[X-Api-Key:[[REDACTED:secret:api-key-header]]]'],
    ['a header of a vendor', `{"x-goog-api-key":"${KEY}"}`, '{"x-goog-api-key":"[REDACTED:secret:api-key-header]"}'],
    ['one cookie', `Cookie: connect.sid=${SESSION}`, 'Cookie: connect.sid=[REDACTED:secret:cookie]'],
    ['two among others', `cookie: a=b; sid=${SESSION}; lang=en-GB; id=${UUID};`, 'cookie: a=b; sid=[REDACTED:secret:cookie]; lang=en-GB; id=[REDACTED:secret:cookie];'],
    ['a cookie that is set', `< Set-Cookie: session=${KEY}; Path=/; HttpOnly`, '< Set-Cookie: session=[REDACTED:secret:cookie]; Path=/; HttpOnly'],
    ['a cookie in JSON', `{"set-cookie":["sid=${KEY}; Path=/"]}`, '{"set-cookie":["sid=[REDACTED:secret:cookie]; Path=/"]}'],
    ['quotes in a string', String.raw`"{\"Cookie\":\"sid=${KEY}\"}"`, String.raw`"{\"Cookie\":\"sid=[REDACTED:secret:cookie]\"}"`],
    ['a value in quotes', `Cookie: sid="${KEY}"; a=b`, 'Cookie: sid="[REDACTED:secret:cookie]"; a=b'],
    ['WireGuard', `[Interface]\nPrivateKey = ${WIREGUARD}\nAddress = 10.0.0.1`, '[Interface]\nPrivateKey = [REDACTED:secret:wireguard-key]\nAddress = 10.0.0.1'],
    ['WireGuard, shared', `PresharedKey=${WIREGUARD}`, 'PresharedKey=[REDACTED:secret:wireguard-key]'],
    ['WireGuard in YAML', `  wireguard_private_key: ${WIREGUARD}`, '  wireguard_private_key: [REDACTED:secret:wireguard-key]'],
    ['an injected value in digits', `dump: ${Buffer.from(injected).toString('hex')}`, 'dump: [REDACTED:secret:injected]'],
    ['in capitals', `dump: ${Buffer.from(injected).toString('hex').toUpperCase()}`, 'dump: [REDACTED:secret:injected]'],
    ['in a URL', `?q=${encodeURIComponent(injected)}`, '?q=[REDACTED:secret:injected]'],
  ])('%s', (_name, text, redacted) => {
    expect(redact(text)).toEqual(redacted);
    expect(redact(redact(text))).toBe(redact(text));
  });

  it.each([0, 1, 2])('an injected value in base64, %i further on', (shift) => {
    const encoded = Buffer.from(`${'x'.repeat(shift)}${injected}`).toString('base64').replaceAll('=', '');
    expect(redact(encoded)).toMatch(/^.{0,4}\[REDACTED:secret:injected\].{0,2}$/);
  });

  it('members of objects by their names', () => {
    const value = { headers: { cookie: `a=b; sid=${SESSION}`, 'Set-Cookie': [`sid=${KEY}`], 'x-api-key': KEY }, peer: { PrivateKey: WIREGUARD, PublicKey: WIREGUARD } };
    expect(redactSecrets(value, { detector, toolName: 't' })).toEqual({
      headers: { cookie: 'a=b; sid=[REDACTED:secret:cookie]', 'Set-Cookie': ['sid=[REDACTED:secret:cookie]'], 'x-api-key': '[REDACTED:secret:api-key-header]' },
      peer: { PrivateKey: '[REDACTED:secret:wireguard-key]', PublicKey: WIREGUARD },
    });
  });
});

describe('what is no secret', () => {
  it.each([
    'Cookie: name=value; name2=value2; name3=value3',
    'Set-Cookie: id=a3fWa; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Max-Age=2592000; Domain=somewhere.example.com',
    'Cookie: _ga=GA1.2.1234567890.1234567890; user_preferences_language=english_united_kingdom',
    'Cookie: session=${sessionIdentifierOfTheCurrentUser}; cookie: { maxAge: 60 * 60 * 1000, secure: true }',
    'Cookie: path=/usr/local/lib/node_modules/some/long/path; version=1.22.333.4444-release.candidate',
    'const cookie: CookieSerializeOptions = createDefaultCookieOptionsForSessions2(1);',
    'x-api-key: your-api-key-here-12345678',
    "'x-api-key': process.env.ANTHROPIC_API_KEY_2",
    '"X-API-Key": apiKeyOfTheCurrentUserSession1',
    'x-api-key: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    `PublicKey = ${WIREGUARD}`,
    `PrivateKey = ${'A'.repeat(43)}=`,
    'PrivateKey = readFileSync(path.join(folder, "private.key"))',
    `${random(51)}JQQJ99${random(26)}`,
    `${random(52)}JQQJ99${random(25)}`,
    `x${AZURE}`,
    `${AZURE}y`,
    "'x-api-key': headersofrequest2withnames",
    "'x-api-key': config.getApiKeyOfMyApp2",
    'Cookie: theme=darkModeOfTheUserInterfaceIsOn',
  ])('%s', (text) => expect(redact(text)).toBe(text));
});
