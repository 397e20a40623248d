import { isRecord } from '@devs/core';
import { hideSecrets } from '../secrets/server-secrets.ts';
import { toJsonText } from '../terminal/terminal.ts';
import { namesVariable, variablesOf } from './expand.ts';

/** A key with a value, as a person may see it. */
export interface ShownEntry {
  /** `limits.toolTimeoutMs`, `mcpServers.github.command`, `mcpServers["a.b"].env.TOKEN`. */
  readonly key: string;
  /** With its secrets hidden. */
  readonly value: unknown;
  /** The same as JSON on one line. */
  readonly shown: string;
  /** What it is, to be compared with another and never shown. */
  readonly text: string;
}

export const HIDDEN = '(hidden)';

/** How much is shown of what is for another program. */
export interface Showing {
  /** Of `env` and `headers`. */
  member(name: string, value: unknown): unknown;
  plain(key: string, value: unknown): unknown;
}

/** Of an operator's own files: what may be a secret is shown to nobody. */
const HIDING: Showing = { member: (_name, value) => showSecret(value), plain: showPlain };

/** What a file, or the defaults, say: one entry a key. Takes what is written, never what the environment made of it. */
export function showEntries(written: Readonly<Record<string, unknown>>, showing: Showing = HIDING): readonly ShownEntry[] {
  return Object.entries(written).flatMap(([section, value]) => {
    if (section === '$schema') return [];
    if (!isRecord(value)) return [toEntry(section, value, value)];
    if (section === 'mcpServers') return Object.entries(value).flatMap(([name, server]) => showServer(`mcpServers${toStep(name)}`, server, showing));
    return Object.entries(value).flatMap(([key, inner]) => showInner(section + toStep(key), inner));
  });
}

/** What is said of a tool is said by the key, as what is said of all. */
function showInner(place: string, value: unknown): readonly ShownEntry[] {
  if (!isRecord(value)) return [toEntry(place, value, value)];
  return Object.entries(value).flatMap(([key, inner]) => showInner(place + toStep(key), inner));
}

/**
 * A URL without what may be a secret in it: user, password, query and fragment. Taken apart as a client
 * does it, where a backslash is a slash: an eye is easily led past the host.
 */
export function showUrl(url: string): string {
  const parsed = namesVariable(url) ? null : URL.parse(url);
  if (parsed === null) return url.replaceAll('\\', '/').replace(/^([^/?#]*\/\/)[^/?#]*@/, `$1${HIDDEN}@`).replace(/[?#].*/s, `?${HIDDEN}`);
  const { protocol, username, password, host, pathname, search, hash } = parsed;
  return `${protocol}//${username + password && `${HIDDEN}@`}${host}${pathname}${search + hash && `?${HIDDEN}`}`;
}

/** What devs alone knows of a server: no secret belongs there, and who trusts a file must see how it is held. */
const OWN_KEYS: ReadonlySet<string> = new Set(['disabled', 'namespace', 'labels', 'limits', 'sandbox']);

function showServer(prefix: string, server: unknown, showing: Showing): readonly ShownEntry[] {
  if (!isRecord(server)) return [toEntry(prefix, server, HIDDEN)];
  return Object.entries(server).flatMap(([key, value]) => {
    const place = prefix + toStep(key);
    if ((key === 'env' || key === 'headers') && isRecord(value)) {
      return Object.entries(value).map(([name, text]) => toEntry(place + toStep(name), text, showing.member(name, text)));
    }
    return OWN_KEYS.has(key) ? showInner(place, value) : [toEntry(place, value, showing.plain(key, value))];
  });
}

/** Only what is known to hold no secret is shown: another program's key may be a password. */
function showPlain(key: string, value: unknown): unknown {
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  if (key === 'url') return typeof value === 'string' ? showUrl(value) : HIDDEN;
  if (key === 'args') return Array.isArray(value) ? hideSecrets(value, HIDDEN) : HIDDEN;
  return ['command', 'cwd', 'type'].includes(key) ? value : HIDDEN;
}

/** The variables that it is made of, and nothing else of it: a default may be a secret too. */
function showSecret(value: unknown): string {
  if (typeof value !== 'string') return HIDDEN;
  if (namesVariable(value) && /^\$\{\w+\}$/.test(value)) return value;
  return [HIDDEN, ...variablesOf(value).map((name) => `\${${name}}`)].join(' ');
}

function toEntry(key: string, whole: unknown, value: unknown): ShownEntry {
  return { key, value, shown: value === HIDDEN ? HIDDEN : toJsonText(value), text: JSON.stringify(whole) };
}

function toStep(name: string): string {
  return /^[A-Za-z0-9_$-]+$/.test(name) ? `.${name}` : `[${toJsonText(name)}]`;
}
