import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { redactSecrets, redactText } from '../../json/redact-secrets.ts';
import { Glance } from '../../pipeline/glance.ts';
import { Seams } from '../../pipeline/seams.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const KEY = `/${random(20)}+${random(18)}`;
const TOKEN = random(40);
const PASSWORD = `${random(18)}x`;
const BASIC = Buffer.from(`someone:${PASSWORD}`).toString('base64');
const letters = 'qWeRtYuIoPaSdFgHjKlZxCvBnMQwErTyUiOpAsDf';

describe('a secret in the spellings of programs', () => {
  it.each<[name: string, text: string, secret: string]>([
    ['a pair in JSON', `{"name":"AWS_SECRET_ACCESS_KEY","value":"${KEY}"}`, KEY],
    ['a pair in YAML', `- name: AWS_SECRET_ACCESS_KEY\n  value: ${KEY}\n`, KEY],
    ['a header of HAR', `{"name":"Authorization","value":"Bearer ${TOKEN}"}`, TOKEN],
    ['a header of Postman', `{"key":"Authorization","type":"text","value":"Bearer ${TOKEN}"}`, TOKEN],
    ['a list of Go', `{"Authorization":["Bearer ${TOKEN}"]}`, TOKEN],
    ['a map of Go', `map[Authorization:[Bearer ${TOKEN}]]`, TOKEN],
    ['bytes of Python', `{'Authorization': b'Bearer ${TOKEN}'}`, TOKEN],
    ['a hash of Ruby', `{"Authorization"=>"Bearer ${TOKEN}"}`, TOKEN],
    ['an array of PHP', `'Authorization' => 'Bearer ${TOKEN}'`, TOKEN],
    ['entities', `&quot;Authorization&quot;: &quot;Bearer ${TOKEN}&quot;`, TOKEN],
    ['quotes escaped twice', `\\\\\\"Authorization\\\\\\":\\\\\\"Bearer ${TOKEN}`, TOKEN],
    ['no digit', `Authorization: Bearer ${letters}`, letters],
    ['a list of arguments', `["aws_secret_access_key","${KEY}"]`, KEY],
    ['a wide table', `|  SecretAccessKey                  |  ${KEY}  |`, KEY],
    ['slashes of PHP', `INFO {"secret_access_key":"${KEY.replaceAll('/', '\\/')}"}`, KEY.replaceAll('/', '\\/')],
    ['a URL of PHP', `INFO {"dsn":"mysql:\\/\\/app:${PASSWORD}@db\\/x"}`, PASSWORD],
    ['a webhook of PHP', `"https:\\/\\/hooks.slack.com\\/services\\/T00000000\\/B00000000\\/${random(24)}"`, random(24)],
    ['an ampersand of Go', `"https://x.example/c?sv=1\\u0026sig=${random(43)}%3D"`, random(43)],
    ['an .npmrc', `//registry.example/:_password="${BASIC}"`, BASIC],
    ['a Docker configuration', `{"auths":{"https://index.example/":{"auth":"${BASIC}"}}}`, BASIC],
    ['settings of ADO.NET', `Server=tcp:db.example.com,1433;Database=x;User ID=sa;Password=${PASSWORD};Encrypt=True;`, PASSWORD],
    ['settings, the password first', `Password=${PASSWORD};Server=db.example.com`, PASSWORD],
    ['settings of ODBC', `Driver={SQL Server};Uid=sa;Pwd=${PASSWORD};`, PASSWORD],
    ['JDBC', `jdbc:mysql://db/x?user=root&password=${PASSWORD}`, PASSWORD],
    ['libpq', `host=db user=app password=${PASSWORD} dbname=x`, PASSWORD],
    ['an address of Go', `app:${PASSWORD}@tcp(127.0.0.1:3306)/db`, PASSWORD],
    ['a long password', `https://user:${random(400)}@host/x`, random(400)],
    ['a password with a slash', 'postgres://app:aB3/xyz9Kd@db/x', 'aB3/xyz9Kd'],
    ['a netrc behind a line', `$ cat ~/.netrc\nmachine x login u password ${PASSWORD}`, PASSWORD],
    ['a netrc with an account', `machine x login u account a password ${PASSWORD}`, PASSWORD],
    ['a netrc, the password first', `machine x password ${PASSWORD} login u`, PASSWORD],
  ])('%s', (_name, text, secret) => {
    const redacted = redact(text);
    expect(redacted).toContain('[REDACTED:secret:');
    expect(redacted).not.toContain(secret.slice(0, 12));
    expect(redact(redacted)).toBe(redacted);
  });

  it('is found under the name that stands beside it in an object or a list', () => {
    const value = { env: [{ name: 'AWS_SECRET_ACCESS_KEY', value: KEY }], args: ['aws_secret_access_key', KEY], sum: { name: 'commit', value: KEY } };
    expect(JSON.stringify(redactSecrets(value, { detector, toolName: 't' })).split(KEY)).toHaveLength(2);
  });
});

describe('what is no secret', () => {
  it.each([
    'const password = form.password; query = "password=" + password;',
    'DB_PASSWORD=secret and ?password=x without a connection',
    'Server=db;Password=<password>;',
    'the machine learning user password manager',
    'Authorization: Bearer accessTokenFromTheEnvironment and Authorization: Bearer replace-with-something-else',
    'http://localhost:8080/users/@me',
    `ODataQueryBuilderFactory1.create.withSomeVeryLongMethodNames`,
    '"-----BEGIN PRIVATE KEY-----\\n" +\n  privateKeyBase64Lines.join("")',
    '-----BEGIN PRIVATE KEY-----\nsee /usr/local/lib/node_modules/some/Long/Path/of/Files2 for it',
  ])('%s', (text) => expect(redact(text)).toBe(text));
});

it('a place where something was taken out ends a token, a name and a value', () => {
  const id = `AKIA${random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')}`;
  const seamed = (...parts: string[]) => {
    const seams = new Seams();
    let length = 0;
    for (const part of parts.slice(0, -1)) seams.add((length += part.length));
    const glance = new Glance(parts.join(''), { seams });
    return detector.find(glance.text, { toolName: 't', seams }).map(({ start, end }) => glance.text.slice(start, end));
  };
  expect(seamed(id, 'next')).toEqual([id]);
  expect(seamed('SecretAccessKey', KEY, 'next')).toEqual([KEY]);
  expect(seamed('k', `SG.${random(22)}.${random(43)}`)).toEqual([`SG.${random(22)}.${random(43)}`]);
  expect(detector.find(`${id}next`, { toolName: 't' })).toEqual([]);
});

describe('a private key with something before each line', () => {
  const lines = [random(64), random(63).concat('A'), random(61).concat('bcd')];
  const whole = ['-----BEGIN RSA PRIVATE KEY-----', ...lines, 'aB3d==', '-----END RSA PRIVATE KEY-----'];
  it.each<[string, string]>([
    ['grep', whole.map((line, at) => `./key.pem${at === 0 ? ':' : '-'}${line}`).join('\n')],
    ['numbers of grep', whole.map((line, at) => `key.pem-${String(at)}-${line}`).join('\n')],
    ['a log', whole.map((line) => `Jan 01 10:00:00 host app[12]: ${line}`).join('\n')],
    ['a container', whole.map((line) => `web-1  | ${line}`).join('\n')],
    ['blame', whole.map((line) => `^abc1234 (Bob 2020-01-01 10:00:00 +0000 1) ${line}`).join('\n')],
    ['HTML', whole.map((line) => `<div>${line}</div>`).join('')],
    ['XML', whole.join('&#10;')],
    ['a form', encodeURIComponent(whole.join('\n'))],
    ['SQL', whole.join(`' || chr(10) || '`)],
    ['its end alone', whole.slice(1).join('\n')],
  ])('%s', (_name, text) => {
    const redacted = redact(text);
    for (const line of lines) expect(redacted).not.toContain(line.slice(8, 40));
    expect(redacted).not.toContain('aB3d');
    expect(redact(redacted)).toBe(redacted);
  });
});
