import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { redactSecrets, redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const KEY = random(40);
const TOKEN = random(30);
/** 20 letters, of which no name is made. */
const letters = 'qWeRtYuIoPaSdFgHjKlZ';
const toBase64 = (text: string) => Buffer.from(text).toString('base64');

/** What stands between `«` and `»` is the secret: it alone is masked, and a second look changes nothing. */
function expectMasked(text: string, rule: string): void {
  const masked = text.replaceAll(/«[^»]*»/g, secretMark(rule));
  expect(redact(text.replaceAll(/[«»]/g, ''))).toBe(masked);
  expect(redact(masked)).toBe(masked);
}

const expectNone = (text: string) => expect(redact(text)).toBe(text);

describe('an AWS key behind its name', () => {
  it.each(['aws_secret_key=', 'awsSecretKey="', 'AWSSECRETKEY: ', '{awsSecretKey: ', 'aws-secret-key: ', 'secret_access_key&#39;:&#39;', "SecretAccessKey&#34;: b'", 'SecretAccessKey value '])('%s', (before) => {
    expectMasked(`${before}«${KEY}»`, 'aws-secret-access-key');
  });

  it('is not what is longer, shorter, a digest or of few characters', () => {
    expectNone(`aws_secret_key=${random(41)}`);
    expectNone(`aws_secret_key=${random(39)}`);
    expectNone(`aws_secret_key=${KEY}=`);
    expectNone(`aws_secret_key=${'0123456789abcdef'.repeat(3).slice(0, 40)}`);
    expectNone(`aws_secret_key=${'ABCDEFGHIJK'.repeat(4).slice(0, 40)}`);
    expectMasked(`aws_secret_key=«${'ABCDEFGHIJKL'.repeat(4).slice(0, 40)}»`, 'aws-secret-access-key');
    expectMasked(`{"secret_access_key":"\\«/${random(19)}\\/${random(19)}»"}`, 'aws-secret-access-key');
  });

  it('is looked for behind a name that ends so, not in a mark', () => {
    expectNone(`[REDACTED:secret:aws-secret-access-key]${KEY}`);
    expectNone(`aws_secret_monkeyx=${KEY}`);
  });
});

describe('an Azure key behind its name', () => {
  it.each(['AccountKey=', 'accountKey: ', 'account_key: ', 'ACCOUNT-KEY=', 'storage_key=', 'storageKey=', 'sharedKey=', '"primaryKey": "', 'primary_key=', 'PRIMARY_KEY=', '\\nprimaryKey=', '"secondaryKey":"', 'StorageAccount_Key: ', 'storage-account-key=', 'SharedAccessKey=', 'primary_Access-Key": "', 'PRIMARY_ACCESS_KEY=', 'my_primary_key=', 'secondary_key=', 'secondary_account-key=', 'secondaryAccountKey='])('%s', (before) => {
    expectMasked(`${before}«${random(86)}==»`, 'azure-storage-key');
    expectMasked(`${before}«${random(42)}=»`, 'azure-storage-key');
  });

  it('is not what is shorter, or made up', () => {
    expectNone(`primaryAccessKey=${random(41)}=`);
    expectNone(`primaryAccessKey=${'abc'.repeat(20)}==`);
  });
});

describe('short names of values that are secret', () => {
  it('are told from others that end so, and from rules in marks', () => {
    for (const name of ['donkey', 'foreign_key', 'publicKey', 'public_key', 'primaryKeys', 'primary_keyring', 'primary', 'my key']) expectNone(`${name}=${random(86)}==`);
    expectNone(`[REDACTED:secret:azure-key] ${random(86)}==`);
    expectMasked(`primaryKey=«${random(86)}==» ${random(86)}==`, 'azure-storage-key');
    expectNone('primaryKey: true, accountKey: account.key, storage_key = "a_name_of_a_key_that_is_as_long_as_a_key_is="');
  });

  it('are members of an object, too', () => {
    const keys = { primaryKey: `${random(86)}==`, secondaryKey: `${random(86)}==`, awsSecretKey: KEY, privateKey: `${random(42)}A=` };
    const marks = ['azure-storage-key', 'azure-storage-key', 'aws-secret-access-key', 'wireguard-key'].map(secretMark);
    expect(Object.values(redactSecrets(keys, { detector, toolName: 't' }) as object)).toEqual(marks);
  });

  it.each(['private_key=', 'privateKey: ', 'PRIVATE_KEY=', 'presharedKey = ', 'preshared-key '.replace(' ', ': ')])('of WireGuard: %s', (before) => {
    expectMasked(`${before}«${random(42)}A=»`, 'wireguard-key');
  });

  it.each(['x-apikey: ', 'X-ApiKey: ', 'X-APIKEY=', 'x-b-apikey: '])('of headers: %s', (before) => {
    expectMasked(`${before}«a1B2c3D4e5F6g7H8i9J0»`, 'api-key-header');
  });

  it('is that of the credentials of all registries, where a line begins with it', () => {
    const credentials = toBase64('deployer:a password');
    for (const before of ['', 'a = b\n', 'a = b\r\n  ']) for (const assigned of ['_auth = ', '_auth=', '_auth="']) expectMasked(`${before}${assigned}«${credentials}»`, 'npmrc-auth');
    for (const before of ['basic_auth = ', 'my_auth=', 'self._auth = ']) expectNone(`${before}${credentials}`);
    expectNone('_auth = createAuthenticationProvider');
    expectNone(`_auth = ${random(24)}`);
  });
});

describe('credentials in an Authorization header', () => {
  it.each(['Authorization: Token ', 'authorization=ApiKey ', 'AUTHORIZATION: api-key ', 'authorization=Bearer%20', 'authorization=bearer+', 'authorization: bearer  \t ', '"authorization")="Bearer ', 'Authorization value Bearer '])('%s', (before) => {
    expectMasked(`${before}«${TOKEN}»`, 'authorization');
  });

  it('are all of what is long', () => expectMasked(`Authorization: Bearer «${random(6_000)}»`, 'authorization'));

  it('are a name and a password in base64, also as PHP writes them and without a digit', () => {
    for (const credentials of ['a:b-c-d', 'someone???:some>>>thing', `${'n'.repeat(46)}:x`]) expectMasked(`Authorization: Basic «${toBase64(credentials).replaceAll('/', '\\/')}»`, 'authorization');
    expectMasked(`authorization=basic+«${toBase64('user:a secret')}»`, 'authorization');
    expectMasked('Authorization: Basic «YWJjOmRlZmdoaQ»', 'authorization');
    expectNone('Authorization: Basic AWJjOmRlZmdo');
    expectNone('Authorization: Bearer YWJjOmRlZmdoaQ');
  });

  it('are 20 letters that take turns, or have a digit', () => {
    expectMasked(`Authorization: Bearer «${letters}»`, 'authorization');
    expectNone(`Authorization: Bearer ${letters.slice(0, 19)}`);
    expectNone('Authorization: Bearer aBaBaBaBaBaBaBaBaBaB');
    expectNone('Authorization: Bearer aBcAbCaBcAbCaBcAbCaB');
    expectNone('Authorization: Bearer ABcdEFghIJklmnopqrst');
    expectMasked('Authorization: Bearer «abCDefGHijKLmnopqrst»', 'authorization');
    expectNone('Authorization: Bearer abcDEfGHijklmnopqrst');
  });

  it('are not words, numbers or a row of the same', () => {
    for (const word of ['your-token-123', 'my-token-123', 'the-token-123', 'some-token-1', 'example-1234', 'placeholder12', 'access-12345', 'api-token-123', 'auth-token-12', 'id-token-123', 'jwt-1234567', 'secret-12345', 'token-123456']) {
      expectNone(`Authorization: Bearer ${word}`);
    }
    expectNone('Authorization: Bearer 1234567890.123');
    expectNone('Authorization: Bearer abc1abc1abc1abc1');
    expectNone('Authorization: Bearer a1b2c3d');
  });

  it('need something that assigns', () => expectNone(`The authorization bearer ${TOKEN} is none`));
});

describe('an .npmrc', () => {
  it.each(['//r.example/:_authToken=', '//r.example/:_authToken = "', '//r.example/:_auth=', '//r.example/:_password='])('%s', (before) => {
    expectMasked(`${before}«${random(28)}==»`, 'npmrc-auth');
    expectMasked(`${before}«${random(1_000)}»`, 'npmrc-auth');
    expectNone(`${before}xxxxxxxxxxxxxxxx`);
  });
});

describe('a Docker configuration', () => {
  const credentials = toBase64('someone:some???thing>>>');
  it.each(['{"auth":"', '{"auth" : "', '{\\"auth\\":\\"', '{\\\\\\"auth\\\\\\": \\\\\\"'])('%s', (before) => {
    expectMasked(`${before}«${credentials}»"`, 'docker-auth');
    expectMasked(`${before}«${credentials.replaceAll('/', '\\/')}»"`, 'docker-auth');
  });

  it('holds a name and a password, or nothing', () => expectNone(`{"auth":"${toBase64('nothing that is a password')}"}`));
});

describe('webhooks', () => {
  it.each([
    'https://hooks.slack.com/services/T00000000/B00000000/', 'https://hooks.slack-gov.com/workflows/T00000000/B00000000/', 'hooks.slack.com/triggers/T00000000/00000000000/',
  ])('%s', (before) => expectMasked(`${before}«${random(24)}»`, 'slack-webhook'));

  it.each([
    'https://discord.com/api/webhooks/12345678901234567/', 'https://discordapp.com/api/v10/webhooks/123456789012345678/', 'https:\\/\\/discord.com\\/api\\/webhooks\\/123456789012345678\\/',
  ])('%s', (before) => expectMasked(`${before}«${random(68)}»`, 'discord-webhook'));
});

describe('a name that stands beside a value', () => {
  const mark = secretMark('aws-secret-access-key');
  it.each<[string, unknown, unknown]>([
    ['name', { name: 'AWS_SECRET_KEY', value: KEY }, { name: 'AWS_SECRET_KEY', value: mark }],
    ['key', { key: 'AWS_SECRET_KEY', value: KEY }, { key: 'AWS_SECRET_KEY', value: mark }],
    ['Name and Value', { Name: 'AWS_SECRET_KEY', Value: KEY }, { Name: 'AWS_SECRET_KEY', Value: mark }],
    ['Key', { Key: 'AWS_SECRET_KEY', value: KEY }, { Key: 'AWS_SECRET_KEY', value: mark }],
    ['both', { name: 'aws', key: 'AWS_SECRET_KEY', value: KEY }, { name: 'aws', key: 'AWS_SECRET_KEY', value: mark }],
    ['of another member', { name: 'AWS_SECRET_KEY', sum: KEY }, { name: 'AWS_SECRET_KEY', sum: KEY }],
    ['none that names a secret', { name: 'aws', value: KEY }, { name: 'aws', value: KEY }],
    ['in a list', ['--aws-secret-key', KEY, KEY], ['--aws-secret-key', mark, KEY]],
    ['behind it in a list', [KEY, 'aws-secret-key'], [KEY, 'aws-secret-key']],
    ['of the list', { SecretAccessKey: [KEY, [KEY]] }, { SecretAccessKey: [mark, [mark]] }],
    ['auth', { auth: toBase64('someone:something') }, { auth: secretMark('docker-auth') }],
    ['that only ends in auth', { oauth: toBase64('someone:something') }, { oauth: toBase64('someone:something') }],
  ])('%s', (_name, value, expected) => expect(redactSecrets(structuredClone(value) as never, { detector, toolName: 't' })).toEqual(expected));
});

describe('a JSON Web Token', () => {
  const make = (header: string, ...parts: string[]) => [Buffer.from(header).toString('base64url'), ...parts].join('.');
  it.each([
    make('{"alg":"none"}', random(20), ''), make('{"typ":"JWT"}', random(20), random(43)), make('{ "typ":"JWT"}', random(20)), make('{\n"alg":"none"}', random(20)),
    make('{\t"alg":"none"}', random(20)), make('{\r"alg":"none"}', random(20)), make('{"alg":"dir","enc":"A128GCM"}', '', random(16), random(30), random(22)).replace('..', `.${random(4)}.`),
    make(`{"alg":"RS256","kid":"${'k'.repeat(600)}"}`, random(20), random(43)),
  ])('%s', (token) => expectMasked(`a «${token}» b`, 'json-web-token'));

  it('has an object with its algorithm or its type as its header', () => {
    expectNone(`a ${make('{"sub":"someone"}', random(20), random(43))} b`);
    expectNone(`a ${make('{"alg":"none"', random(20), random(43))} b`);
  });
});
