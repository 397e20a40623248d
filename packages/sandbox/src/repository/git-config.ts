import { DevsError } from '@devs/core';

export interface ConfigEntry {
  /** Lower case. */
  readonly section: string;
  /** As it is spelled; undefined when there is none. */
  readonly subsection: string | undefined;
  /** Lower case. */
  readonly key: string;
  readonly value: string;
}

const HEADER = /\[\s*([A-Za-z0-9-]+)(?:\.([A-Za-z0-9.-]+)|\s+"((?:[^"\\\n]|\\[^\n])*)")?\s*\]/y;
const KEY = /[A-Za-z][A-Za-z0-9-]*/y;
const SPACE = /(?:\s|[#;][^\n]*)+/y;
const ASSIGN = /[^\S\n]*=[^\S\n]*/y;
/** A quoted part, an escape, a line that goes on, or plain text. */
const PIECE = /"((?:[^"\\\n]|\\(?:[^\n]|\n))*)"|\\(\n|[ntb"\\])|([^"\\\n#;]+)/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([['n', '\n'], ['t', '\t'], ['b', '\b'], ['\n', '']]);

/**
 * The entries of a git configuration, in order. Nothing that it includes is read: a file of the project must not choose what
 * devs reads.
 * @throws DevsError COMMIT_REFUSED: it is not one that git would read
 */
export function parseGitConfig(text: string): ConfigEntry[] {
  const reader = new Reader(text.replaceAll('\r\n', '\n').replace(/^\uFEFF/, ''));
  const entries: ConfigEntry[] = [];
  let place: Pick<ConfigEntry, 'section' | 'subsection'> | undefined;
  for (reader.take(SPACE); !reader.isAtEnd; reader.take(SPACE)) {
    const header = reader.take(HEADER);
    if (header !== undefined) place = toPlace(header);
    else if (place !== undefined) entries.push({ ...place, ...readEntry(reader) });
    else throw unreadable();
  }
  return entries;
}

/** The last value counts, as for git. */
export function lastValue(entries: readonly ConfigEntry[], section: string, key: string): string | undefined {
  return entries.findLast((entry) => entry.section === section && entry.subsection === undefined && entry.key === key.toLowerCase())?.value;
}

/**
 * As git reads a truth value.
 * @throws DevsError COMMIT_REFUSED: it is none
 */
export function isTrue(value: string | undefined): boolean {
  if (value === undefined || /^(?:false|no|off|0|)$/i.test(value)) return false;
  if (/^(?:true|yes|on|-?[0-9]+)$/i.test(value)) return true;
  throw unreadable();
}

/** The entries as a configuration. */
export function formatGitConfig(entries: readonly ConfigEntry[]): string {
  return entries.map(({ section, subsection, key, value }) => {
    const name = subsection === undefined ? section : `${section} "${subsection.replace(/["\\]/g, String.raw`\$&`)}"`;
    return `[${name}]\n\t${key} = "${escapeValue(value)}"\n`;
  }).join('');
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** What the sticky pattern finds right here; then the reader stands behind it. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}

function toPlace([, section = '', plain, quoted]: RegExpExecArray): Pick<ConfigEntry, 'section' | 'subsection'> {
  return { section: section.toLowerCase(), subsection: plain?.toLowerCase() ?? quoted?.replace(/\\(.)/g, '$1') };
}

function readEntry(reader: Reader): Pick<ConfigEntry, 'key' | 'value'> {
  const key = reader.take(KEY)?.[0].toLowerCase();
  if (key === undefined) throw unreadable();
  // A key alone says true.
  if (reader.take(ASSIGN) === undefined) return { key, value: endLine(reader, 'true') };
  let value = '';
  let kept = 0;
  for (let piece = reader.take(PIECE); piece !== undefined; piece = reader.take(PIECE)) {
    const [, quoted, escaped, plain] = piece;
    value += plain ?? (escaped === undefined ? unescape(quoted ?? '') : (ESCAPES.get(escaped) ?? escaped));
    // Spaces at the end of a line do not count, unless they are quoted.
    kept = plain === undefined ? value.length : Math.max(kept, value.trimEnd().length);
  }
  return { key, value: endLine(reader, value.slice(0, kept)) };
}

function endLine(reader: Reader, value: string): string {
  reader.take(/[^\S\n]*(?:[#;][^\n]*)?/y);
  if (!reader.isAtEnd && reader.take(/\n/y) === undefined) throw unreadable();
  return value;
}

function unescape(quoted: string): string {
  return quoted.replace(/\\([^]?)/g, (_, character: string) => {
    const plain = ESCAPES.get(character) ?? (/["\\]/.test(character) ? character : undefined);
    if (plain === undefined) throw unreadable();
    return plain;
  });
}

function escapeValue(value: string): string {
  return value.replace(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`).replaceAll('\b', String.raw`\b`);
}

function unreadable(): DevsError {
  return new DevsError('COMMIT_REFUSED', { sentence: 'The configuration of the git repository cannot be read.' });
}
