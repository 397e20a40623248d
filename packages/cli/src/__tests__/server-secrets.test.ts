import { describe, expect, it } from '@jest/globals';
import { hideSecrets, secretsOf, type Handed } from '../server-secrets.ts';

const VALUE = 'correct-horse-battery';

describe('what a server is handed', () => {
  it.each<[string, Handed]>([
    ...['API_KEY', 'GITHUB_TOKEN', 'DB_PASS', 'MYSQL_PASSWORD', 'GITHUB_PAT', 'SSH_PASSPHRASE', 'clientSecret', 'JWT', 'BEARER', 'my-auth-token', 'APIKEY', 'SENTRY_DSN'].map(
      (name): [string, Handed] => [`the environment: ${name}`, { env: { [name]: VALUE } }],
    ),
    ['a header with its scheme', { headers: { Authorization: `Bearer ${VALUE}` } }],
    ['a header of its own name', { headers: { 'X-Api-Key': VALUE } }],
    ['a cookie', { headers: { Cookie: `session=${VALUE}; Path=/` } }],
    ['credentials in base64', { headers: { Authorization: `Basic ${Buffer.from(`user:${VALUE}`).toString('base64')}` } }],
    ['a flag and its value', { args: ['--token', VALUE] }],
    ['a flag with its value', { args: ['-y', 'server', `--api-key=${VALUE}`] }],
    ['the password of an address', { env: { DATABASE_URL: `postgres://app:${VALUE}@db/x` } }],
    ['the same, escaped', { env: { DATABASE_URL: 'postgres://app:correct%2Dhorse-battery@db/x' } }],
    ['the query of an address', { url: `https://host.invalid/mcp?api_key=${VALUE}` }],
    ['an address among its arguments', { args: [`redis://:${VALUE}@cache`] }],
    ['a line of a value of many', { env: { PRIVATE_KEY: `first line of it\n${VALUE}\n` } }],
  ])('is a secret: %s', (_, handed) => {
    expect(secretsOf([handed])).toContain(VALUE);
  });

  it.each<[string, Handed]>([
    ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'KEYCLOAK_URL', 'TOKENIZERS_PARALLELISM', 'KEYBOARD_LAYOUT', 'HOME', 'PATH', 'MONKEY', 'PASSENGER', 'NODE_ENV'].map(
      (name): [string, Handed] => [`the environment: ${name}`, { env: { [name]: VALUE } }],
    ),
    ['a socket', { env: { SSH_AUTH_SOCK: '/tmp/ssh-agent/agent.1' } }],
    ['a path under the name of a secret', { env: { SESSION: '/home/alice/project', TOKEN: '~/tokens/a-file' } }],
    ['the file of a key', { env: { KEY_FILE: '/etc/keys/server.pem' } }],
    ['a plain address', { env: { AUTH_URL: 'https://login.invalid/authorize' }, url: 'https://host.invalid/mcp?page=authorization' }],
    ['another flag', { args: ['--root', '/home/alice', '--token', '--verbose'] }],
    ['another header', { headers: { Accept: 'application/json, text/plain' } }],
  ])('is none: %s', (_, handed) => {
    expect(secretsOf([handed])).toEqual([]);
  });
});

it.each<[unknown[], unknown[]]>([
  [['--token', 'x', '--root', '/a'], ['--token', '(hidden)', '--root', '/a']],
  [['--api-key=x', 'y', '--name=z'], ['--api-key=(hidden)', 'y', '--name=z']],
  [['--token', '--verbose', 'x'], ['--token', '--verbose', 'x']],
  [['-y', 'server', 7], ['-y', 'server', 7]],
])('arguments are shown without what they hand over: %j', (args, shown) => {
  expect(hideSecrets(args, '(hidden)')).toEqual(shown);
});
