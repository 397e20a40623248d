import { describe, expect, it } from '@jest/globals';
import { hideSecrets, secretsOf, type Handed } from '../server-secrets.ts';

const VALUE = 'correct-horse-battery';

// Put together at run time: no scanner of sources shall find a token here.
const RANDOM = ['a8Kd02LmQz71', 'XyPvRt55WsNb'].join('');
/** One of 64 secrets in base64 begins as a path does. */
const SLASHED = `/bXUtnFEMI+K7MDENG/${RANDOM}`;

describe('what a server is handed', () => {
  it.each<[string, Handed, string?]>([
    ['a header with its scheme', { headers: { Authorization: `Bearer ${VALUE}` } }],
    ['the same under any name', { env: { MCP_HEADER: `Bearer ${VALUE}` } }],
    ['a header of its own name', { headers: { 'X-Api-Key': VALUE } }],
    ['headers in a variable', { env: { MCP_HEADERS: `Accept: text/plain\nAuthorization: Bearer ${VALUE}` } }],
    ['headers as telemetry has them', { env: { OTEL_EXPORTER_OTLP_HEADERS: `api-key=${VALUE},x=y` } }],
    ['a cookie', { headers: { Cookie: `session=${VALUE}; Path=/` } }],
    ['a cookie of any name', { headers: { Cookie: `a=b; x=${VALUE}-${RANDOM}` } }, `${VALUE}-${RANDOM}`],
    ['credentials in base64', { headers: { Authorization: `Basic ${Buffer.from(`user:${VALUE}`).toString('base64')}` } }],
    ['credentials as they are', { env: { BASIC_AUTH: `user:${VALUE}` } }],
    ['a flag and its value', { args: ['--token', VALUE] }],
    ['a flag with its value', { args: ['-y', 'server', `--api-key=${VALUE}`] }],
    ['a flag and a token that begins as one', { args: ['--token', `-Ab8${RANDOM}`] }, `-Ab8${RANDOM}`],
    ['a flag and a token that reads as a header', { args: ['--token', `name:${VALUE}`] }, `name:${VALUE}`],
    ['a header behind a flag', { args: ['mcp-remote', 'https://host.invalid/mcp', '--header', `Authorization: Bearer ${VALUE}`] }],
    ['the same without a space', { args: ['--header', `Authorization:Bearer ${VALUE}`] }],
    ['the same in one', { args: [`--header=Authorization: Bearer ${VALUE}`] }],
    ['the same, short', { args: ['-H', `X-Api-Key: ${VALUE}`] }],
    ['a variable behind a flag', { args: ['run', '-e', `API_KEY=${VALUE}`, 'image'] }],
    ['the same in one', { args: [`--env=API_KEY=${VALUE}`] }],
    ['a variable by itself', { args: ['env', `API_KEY=${VALUE}`, 'server'] }],
    ['a property', { args: [`-Djavax.net.ssl.keyStorePassword=${VALUE}`] }],
    ['a member of JSON', { args: ['--config', JSON.stringify({ apiKey: VALUE, debug: true })] }],
    ['a member deep within JSON', { env: { SETTINGS: JSON.stringify({ all: [{ headers: { Authorization: `Bearer ${VALUE}` } }] }) } }],
    ['credentials of a registry', { env: { DOCKER_AUTH_CONFIG: JSON.stringify({ auths: { 'host.invalid': { auth: Buffer.from(`user:${VALUE}`).toString('base64') } } }) } }],
    ['the password of an address', { env: { DATABASE_URL: `postgres://app:${VALUE}@db/x` } }],
    ['the same, escaped', { env: { DATABASE_URL: 'postgres://app:correct%2Dhorse-battery@db/x' } }],
    ['the user of an address', { env: { REPOSITORY: `https://${RANDOM}@host.invalid/x.git` } }, RANDOM],
    ['one of two addresses', { env: { BROKERS: `amqp://one,amqp://app:${VALUE}@two` } }],
    ['what Java calls an address', { env: { SPRING_DATASOURCE_URL: `jdbc:postgresql://db/x?user=app&password=${VALUE}` } }],
    ['the settings of a connection', { env: { CONNECTION_STRING: `Server=tcp:db;User=app;Password=${VALUE};Encrypt=yes` } }],
    ['a password with the signs of lists', { env: { CONNECTION_STRING: 'Server=db;Password=correct,horse&battery' } }, 'correct,horse&battery'],
    ['the query of an address', { url: `https://host.invalid/mcp?api_key=${VALUE}` }],
    ['an address among its arguments', { args: [`redis://:${VALUE}@cache`] }],
    ['an address that is a secret itself', { env: { HOOK_WEBHOOK_URL: `https://host.invalid/services/${RANDOM}` } }, `https://host.invalid/services/${RANDOM}`],
    ['a line of a value of many', { env: { PRIVATE_KEY: `first line of it\n${VALUE}\n` } }],
    ['a line of a key that is written on one', { env: { PRIVATE_KEY: `-----BEGIN PRIVATE KEY-----\\n${RANDOM}\\n-----END PRIVATE KEY-----\\n` } }, RANDOM],
    ['each of a list', { env: { APP_KEYS: `one-long-key-of-it,${VALUE}` } }],
    ['what begins as a path', { env: { AWS_SECRET_ACCESS_KEY: SLASHED } }, SLASHED],
    ['a password that is written as a path', { env: { DB_PASSWORD: '/correct/horse/battery' } }, '/correct/horse/battery'],
    ['a path that is in no folder of a name', { env: { TOKEN: '/Ab9/correct-horse' } }, '/Ab9/correct-horse'],
    ['a path with a name that no file has', { env: { TOKEN: '/ab/Xy1Zt5Qw9ErT' } }, '/ab/Xy1Zt5Qw9ErT'],
    ['an identifier that is a password', { env: { VAULT_SECRET_ID: '11111111-2222-4333-8444-555555555555' } }, '11111111-2222-4333-8444-555555555555'],
    ['an address of Java with a password', { env: { JDBC_URL: `jdbc:postgresql://app:${VALUE}@db/x` } }],
    ['a form', { env: { LOGIN_FORM: `grant=x&client_secret=${VALUE}` } }],
    ['a token with one slash', { env: { TOKEN: `/${VALUE}` } }, `/${VALUE}`],
  ])('is a secret: %s', (_, handed, secret = VALUE) => {
    expect(secretsOf([handed])).toContain(secret);
  });

  it.each<[string, Handed]>([
    ['a plain address', { env: { AUTH_URL: 'https://login.invalid/authorize' }, url: 'https://host.invalid/mcp?page=authorization' }],
    ['another flag', { args: ['--root', '/home/alice', '--token', '--verbose', '--api-key', '--dry-run-of-all'] }],
    ['another header', { headers: { Accept: 'application/json, text/plain' }, args: ['--header', 'Accept: application/json'] }],
    ['another variable', { args: ['-e', 'NODE_ENV=production-like', 'HOME=/home/alice/project'] }],
    ['other JSON', { args: ['--config', '{"name":"correct-horse-battery","list":["correct-horse-battery"]}'] }],
  ])('is none: %s', (_, handed) => {
    expect(secretsOf([handed])).toEqual([]);
  });

  it('of JSON only what its names say', () => {
    const account = {
      type: 'service_account', project_id: 'my-project-1234', private_key_id: '0123456789abcdef', client_email: 'x@y.iam.example.com',
      private_key: `-----BEGIN PRIVATE KEY-----\n${RANDOM}\n-----END PRIVATE KEY-----\n`, token_uri: 'https://oauth2.googleapis.com/token',
      auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs', universe_domain: 'googleapis.com',
    };
    const text = JSON.stringify(account);
    const key = account.private_key;
    expect(secretsOf([{ env: { GOOGLE_CREDENTIALS: text } }])).toEqual([text, key.trim(), RANDOM]);
  });

  it.each<[string, Handed]>([
    ['words beside one another', { env: { TOKEN: 'first-word-of-it second-word-of-it' } }],
    ['an attribute', { env: { SECRETS: 'of-all: Path=/dashboard-main' } }],
    ['an address, a host, a path', { env: { SECRETS: 'www.example-company.com https://host.invalid/a /home/alice' } }],
  ])('of a list not what is none: %s', (_, handed) => {
    expect(secretsOf([handed])).toEqual(Object.values(handed.env ?? {}));
  });

  it('of a cookie not its attributes, nor what is no secret in it', () => {
    const cookie = `session=${VALUE}; theme=dark-mode-of-it; Domain=a1-b2-c3-company.example.com; Path=/dashboard-main`;
    expect(secretsOf([{ env: { COOKIE: cookie } }])).toEqual([cookie, VALUE]);
  });

  it('of a certificate not the words that all have', () => {
    const chain = `-----BEGIN CERTIFICATE-----\n${RANDOM}\n-----END CERTIFICATE-----`;
    expect(secretsOf([{ env: { CLIENT_CREDENTIALS: chain } }])).toEqual([chain, RANDOM]);
  });

  it('whatever is handed over, it is read', () => {
    const deep = `${'['.repeat(5_000)}"x"${']'.repeat(5_000)}`;
    for (const value of [deep, 'token='.repeat(20_000), 'a:'.repeat(60_000), '"'.repeat(60_000), `[${'1,'.repeat(200_000)}1]`]) {
      expect(secretsOf([{ env: { CONFIGURATION: value } }]).every((secret) => value.includes(secret))).toBe(true);
    }
  });
});

it.each<[unknown[], unknown[]]>([
  [['--token', 'x', '--root', '/a'], ['--token', '(hidden)', '--root', '/a']],
  [['--api-key=x', 'y', '--name=z'], ['--api-key=(hidden)', 'y', '--name=z']],
  [['--token', '/home/alice/token', '--token', 'name:x'], ['--token', '(hidden)', '--token', '(hidden)']],
  [['--token', '--verbose', 'x'], ['--token', '--verbose', 'x']],
  [['-y', 'server', 7], ['-y', 'server', 7]],
  [['--header', 'Authorization: Bearer x', '-e', 'API_KEY=x'], ['--header', 'Authorization: (hidden)', '-e', 'API_KEY=(hidden)']],
  [['--header', 'Authorization:x'], ['--header', 'Authorization:(hidden)']],
  [['--header=X-Api-Key: x', 'TOKEN=x', 'HOME=/a'], ['--header=X-Api-Key: (hidden)', 'TOKEN=(hidden)', 'HOME=/a']],
  [['--config', '{"apiKey":"x"}', '{"a":"x"}', 'redis://:x@cache'], ['--config', '(hidden)', '{"a":"x"}', '(hidden)']],
  [['--token', `-Ab8${RANDOM}`, '--token'], ['--token', '(hidden)', '--token']],
])('arguments are shown without what they hand over: %j', (args, shown) => {
  expect(hideSecrets(args, '(hidden)')).toEqual(shown);
});
