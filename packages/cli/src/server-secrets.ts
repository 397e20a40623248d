import { Buffer } from 'node:buffer';
import type { DevsCoreConfig } from '@devs/core';

/** What a server is handed: the members of its entry that can hold a secret. */
export type Handed = Pick<DevsCoreConfig['mcpServers'][string], 'env' | 'headers' | 'args' | 'url'>;

/** Words of names that hold secrets, and last words of names that only speak of them: `KEY_FILE`, `AUTH_URL`. */
const SECRET_WORDS = new Set(
  'key apikey token secret pass passwd password passphrase pwd pat auth authorization credential credentials private cookie jwt bearer dsn webhook session'.split(' '),
);
const OTHER_WORDS = new Set('name email user username url uri endpoint sock file path dir id type mode host port layout enabled level parallelism'.split(' '));

/** Of `env`, whose names are often one word: also the addresses that carry a password. */
const ADDRESS = /^[a-z][a-z0-9+.-]{1,30}:\/\//i;
const SHORTEST_LINE = 12;

/** What servers are handed to prove who they are: it must come back in no output, from whichever tool. */
export function secretsOf(servers: readonly Handed[]): readonly string[] {
  return servers.flatMap(({ env = {}, headers = {}, args = [], url }) => [
    ...Object.entries(env).flatMap(([name, value]) => [...(isSecretName(name) ? valuesOf(value) : []), ...inAddress(value)]),
    ...Object.entries(headers).flatMap(([name, value]) => (isSecretName(name) ? valuesOf(value) : [])),
    ...inArguments(args),
    ...(url === undefined ? [] : inAddress(url)),
  ]);
}

/** The arguments with a mark in the place of what a flag hands over as a secret. */
export function hideSecrets(args: readonly unknown[], mark: string): readonly unknown[] {
  return args.map((argument, index) => {
    if (typeof argument !== 'string') return argument;
    const [flag = '', value] = argument.split(/=(.*)/s, 2);
    if (isFlag(flag) && value !== undefined) return isSecretName(flag) ? `${flag}=${mark}` : argument;
    const before = args[index - 1];
    const isValue = typeof before === 'string' && isFlag(before) && !before.includes('=') && isSecretName(before);
    return isValue && !argument.startsWith('-') ? mark : argument;
  });
}

function isFlag(text: string): boolean {
  return /^--?[A-Za-z]/.test(text);
}

/** By words, not by parts of words: `GIT_AUTHOR_NAME` has no `auth` in it. */
function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
  return words.some((word) => SECRET_WORDS.has(word)) && !OTHER_WORDS.has(words.at(-1) ?? '');
}

/**
 * A value, and what of it is the secret by itself: `Bearer x`, `session=x; Path=/`, `Basic dXNlcjpwYXNz`, the lines of a key.
 * Not a path: every output is full of those.
 */
function valuesOf(value: string): readonly string[] {
  if (/^(?:~|\.{0,2})\//.test(value)) return [];
  const parts = value.split(/[\s;,="']+/).filter((part) => part.length >= SHORTEST_LINE);
  const [scheme = '', credentials = ''] = value.split(' ');
  const decoded = /^basic$/i.test(scheme) ? Buffer.from(credentials, 'base64').toString('utf8') : '';
  return [value.trim(), ...parts, decoded, decoded.slice(decoded.indexOf(':') + 1)].filter((text) => text !== '');
}

/** The password and the query of an address: `postgres://app:x@db`, `https://h/mcp?api_key=x`. */
function inAddress(value: string): readonly string[] {
  if (!ADDRESS.test(value)) return [];
  const url = URL.parse(value);
  if (url === null) return [];
  const { password, searchParams } = url;
  return [password, decode(password), ...[...searchParams].flatMap(([name, text]) => (isSecretName(name) ? [text] : []))].filter((text) => text !== '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value of a flag that names a secret: `--token x`, `--api-key=x`; and addresses. */
function inArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((argument, index) => {
    const [flag = '', value] = argument.split(/=(.*)/s, 2);
    if (!isFlag(flag)) return inAddress(argument);
    if (!isSecretName(flag)) return value === undefined ? [] : inAddress(value);
    const given = value ?? args[index + 1];
    return given === undefined || given.startsWith('-') ? [] : valuesOf(given);
  });
}
