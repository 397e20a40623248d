import path from 'node:path';
import type { Json, McpServerConfig } from '@devs/core';
import { digestOf } from './pinned-definition.ts';
import type { ServerIdentity } from './pin-store.ts';

/** Where a command is looked for. */
export interface CommandPlace {
  /** The absolute path of the program that a command names, links not followed: a new version of it is the same program. */
  readonly resolve: (command: string) => string;
}

/**
 * What a server is: the package that a runner fetches, without its version; else the program and its arguments; else
 * origin and path of its URL. Not its entry's name, so that what is pinned survives a new one; not its version, so that
 * a new one is held against the old one's pins.
 */
export function toServerIdentity(config: McpServerConfig, place: CommandPlace): ServerIdentity {
  return identify(config, place).identity;
}

/**
 * The same over the entries of one configuration, asked for in its order. The first of a package, a program or an address has the
 * identity that it would have alone. One that comes after it is told apart by a digest of what it is handed: `mcp-remote` of one
 * address is another server than that of the next, and of two that shared their pins one would always have changed.
 */
export function createServerIdentities(place: CommandPlace): (config: McpServerConfig, entry: string) => ServerIdentity {
  const taken = new Set<string>();
  return (config, entry) => {
    const { identity, handed } = identify(config, place);
    const keys = [identity.key, `${identity.key}#${shortDigest(handed)}`, `${identity.key}#${shortDigest([...handed, entry])}`];
    const key = keys.find((each) => !taken.has(each)) ?? identity.key;
    taken.add(key);
    return { ...identity, key };
  };
}

interface Identified {
  readonly identity: ServerIdentity;
  /** What else the entry says, as it stands there: a token may be in it. No version: a new one must not be another server. */
  readonly handed: readonly Json[];
}

function identify({ command, args = [], cwd, url = '' }: McpServerConfig, { resolve }: CommandPlace): Identified {
  if (command === undefined) return { identity: { key: identityOfUrl(url) }, handed: [url] };
  const fetched = findPackage(command, args);
  if (fetched === undefined) {
    // Arguments may hold a token.
    return { identity: { key: `exec:${resolve(command)}#${shortDigest([...args, ...(cwd === undefined ? [] : [{ cwd }])])}` }, handed: [[...args], cwd ?? null] };
  }
  const { registry, name, version, flags, rest } = fetched;
  const key = `${registry}:${name}${flags.length === 0 ? '' : `#${shortDigest([...flags])}`}`;
  return { identity: { key, ...(version !== undefined && { version }) }, handed: [[...rest], cwd ?? null] };
}

function identityOfUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return `url:#${shortDigest(url)}`;
  // A path may be the secret itself.
  return `url:${parsed.origin}${parsed.pathname === '/' ? '/' : `/#${shortDigest(parsed.pathname)}`}`;
}

interface FetchedPackage {
  readonly registry: 'npm' | 'pypi';
  readonly name: string;
  readonly version: string | undefined;
  /** What else says where the package comes from, or which program of it runs. */
  readonly flags: readonly string[];
  /** What the program of the package is handed. */
  readonly rest: readonly string[];
}

/** Programs that fetch a package and run it, with the words that make them do so. */
const RUNNERS: Readonly<Record<string, { readonly registry: 'npm' | 'pypi'; readonly words: readonly (readonly string[])[] }>> = {
  npx: { registry: 'npm', words: [[]] },
  pnpx: { registry: 'npm', words: [[]] },
  bunx: { registry: 'npm', words: [[]] },
  npm: { registry: 'npm', words: [['exec'], ['x']] },
  pnpm: { registry: 'npm', words: [['dlx']] },
  yarn: { registry: 'npm', words: [['dlx']] },
  bun: { registry: 'npm', words: [['x']] },
  uvx: { registry: 'pypi', words: [[]] },
  uv: { registry: 'pypi', words: [['tool', 'run'], ['x']] },
  pipx: { registry: 'pypi', words: [['run']] },
};

/** Flags that say nothing of what is run. */
const SILENT = new Set(['-y', '--yes', '-q', '--quiet', '-s', '--silent', '--prefer-offline', '--prefer-online', '--offline', '--no-cache', '--bun', '--']);
/** Flags that name the package; the word behind it is then a program of it. */
const NAMING = new Set(['-p', '--package', '--from', '--spec']);
/** Flags with a value of their own that is no package. */
const VALUED = new Set(['--registry', '--cache', '--userconfig', '--index-url', '--index', '--default-index', '--extra-index-url', '--python', '--with', '--pip-args']);

function findPackage(command: string, args: readonly string[]): FetchedPackage | undefined {
  const program = path.posix.basename(command.replaceAll('\\', '/')).replace(/\.(?:cmd|exe|ps1)$/i, '');
  const runner = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined;
  const words = runner?.words.find((prefix) => prefix.every((word, index) => args[index] === word));
  if (runner === undefined || words === undefined) return undefined;
  const read = readWords(args.slice(words.length));
  const { name, version } = (read === undefined ? undefined : parsePackage(read.spec)) ?? {};
  return read === undefined || name === undefined ? undefined : { registry: runner.registry, name, version, flags: read.flags, rest: read.rest };
}

interface RunnerWords {
  readonly spec: string;
  readonly flags: readonly string[];
  readonly rest: readonly string[];
}

/** Undefined for what cannot be read so: a shell's words (`-c`), two packages at once, or none. */
function readWords(words: readonly string[]): RunnerWords | undefined {
  const flags: string[] = [];
  let named: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [flag, value] = splitFlag(word);
    if (word === '-c' || flag === '--call') return undefined;
    if (NAMING.has(flag)) {
      if (named !== undefined) return undefined;
      named = value ?? words[(index += 1)];
    } else if (VALUED.has(flag)) {
      flags.push(flag, value ?? words[(index += 1)] ?? '');
    } else if (!word.startsWith('-')) {
      // What stands behind it is the server's own.
      const rest = words.slice(index + 1);
      return named === undefined ? { spec: word, flags, rest } : { spec: named, flags: [...flags, word], rest };
    } else if (!SILENT.has(word)) {
      flags.push(word);
    }
  }
  return named === undefined ? undefined : { spec: named, flags, rest: [] };
}

function splitFlag(word: string): readonly [string, string?] {
  const end = word.indexOf('=');
  return word.startsWith('--') && end !== -1 ? [word.slice(0, end), word.slice(end + 1)] : [word];
}

const PACKAGE = /^(?<name>(?:@[\w.~-]+\/)?[A-Za-z0-9~][\w.~-]*)(?:\[[\w.,-]*\])?(?:(?:@|[=~!<>]=?=?)(?<version>[^@/:\s]{1,256}))?$/;

/** A name of a registry. What is fetched from elsewhere (`github:…`, a URL, a folder) is none. */
function parsePackage(spec: string): { readonly name: string; readonly version: string | undefined } | undefined {
  const { name, version } = PACKAGE.exec(spec)?.groups ?? {};
  return name === undefined ? undefined : { name: name.toLowerCase(), version };
}

function shortDigest(value: Parameters<typeof digestOf>[0]): string {
  return digestOf(value).slice(0, 32);
}
