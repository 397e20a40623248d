import { setImmediate } from 'node:timers/promises';
import { describeCause, DevsError, isRecord, type JsonObject } from '@devs/core';
import type { ListKind } from '../../relay/ports.ts';
import { UriTemplate } from './catalog-templates.ts';

/** Makes an entry of a list fit to be shown. Throws `DevsError` for one that must not be. */
export type ListingCleaner = (kind: 'resource' | 'template' | 'prompt', raw: unknown) => JsonObject;

/** An entry of a list, as the server has it and as it is shown. */
export interface CatalogEntry {
  /** The URI, the template, or the server's own name of a prompt. */
  readonly key: string;
  readonly item: JsonObject;
  /** Of a template: which URIs it means, as far as devs can say. */
  readonly template?: UriTemplate | undefined;
}

/** Lists of MCP, with what is asked for, where the entries are, and what tells one from another. */
export const LISTS = {
  resources: { method: 'resources/list', member: 'resources', key: 'uri', clean: 'resource', capability: 'resources' },
  templates: { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate', clean: 'template', capability: 'resources' },
  prompts: { method: 'prompts/list', member: 'prompts', key: 'name', clean: 'prompt', capability: 'prompts' },
} as const;

/** Of one list of one server. */
const MOST_PAGES = 100;
const MOST_ENTRIES = 5_000;
/** Each is held against what other servers list. */
const MOST_TEMPLATES = 200;
/** Of JSON as it came, also of what is left out: what is looked at is paid for. */
const MOST_CHARACTERS = 8_388_608;
/** Entries and characters that are cleaned before others have their turn. */
const ENTRIES_AT_ONCE = 32;
const CHARACTERS_AT_ONCE = 131_072;
const MOST_KEY = 8_192;

export interface CatalogSource {
  /** The result of one request for a page. */
  readonly ask: (method: string, params: JsonObject) => Promise<unknown>;
  readonly clean: ListingCleaner;
  /** Told of what is left out, in devs's words and those of the cleaner. */
  readonly onRefused: (key: string, reason: string) => void;
}

/** One list of one server, all pages, each entry cleaned. Rejects when the server does not give one. */
export async function fetchCatalog(kind: ListKind, source: CatalogSource): Promise<readonly CatalogEntry[]> {
  const { method, member } = LISTS[kind];
  const intake = new CatalogIntake(kind, source);
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && !intake.isFull; page += 1) {
    const answer = await source.ask(method, cursor === undefined ? {} : { cursor });
    const { [member]: entries, nextCursor } = isRecord(answer) ? answer : {};
    if (!Array.isArray(entries)) throw new DevsError('UPSTREAM_ANSWER_REFUSED', { sentence: `The server gave no list in answer to ${method}.` });
    await intake.add(entries);
    if (typeof nextCursor !== 'string') break;
    cursor = nextCursor;
  }
  return intake.entries;
}

class CatalogIntake {
  readonly entries: CatalogEntry[] = [];
  readonly #kind: ListKind;
  readonly #source: CatalogSource;
  readonly #seen = new Set<string>();
  #characters = 0;
  #count = 0;

  constructor(kind: ListKind, source: CatalogSource) {
    this.#kind = kind;
    this.#source = source;
  }

  get isFull(): boolean {
    return this.#count >= (this.#kind === 'templates' ? MOST_TEMPLATES : MOST_ENTRIES) || this.#characters >= MOST_CHARACTERS;
  }

  /** Gives way now and then: a list of many must not hold up calls, or the stop. */
  async add(page: readonly unknown[]): Promise<void> {
    let since = 0;
    for (const raw of page) {
      if (this.isFull) return;
      const characters = JSON.stringify(raw).length;
      this.#count += 1;
      this.#characters += characters;
      this.#take(raw);
      since += characters;
      if (this.#count % ENTRIES_AT_ONCE !== 0 && since < CHARACTERS_AT_ONCE) continue;
      since = 0;
      await setImmediate();
    }
  }

  #take(raw: unknown): void {
    const { key: member, clean } = LISTS[this.#kind];
    const key = isRecord(raw) ? raw[member] : undefined;
    if (typeof key !== 'string' || key === '' || key.length > MOST_KEY) return this.#source.onRefused('', `An entry has no ${member} that can be used.`);
    if (this.#seen.has(key)) return this.#source.onRefused(key, 'The server lists it twice.');
    try {
      const item = this.#source.clean(clean, raw);
      this.#seen.add(key);
      this.entries.push({ key, item, ...(this.#kind === 'templates' && { template: UriTemplate.parse(key) }) });
    } catch (cause) {
      this.#source.onRefused(key, DevsError.is(cause) ? cause.sentence : describeCause(cause).slice(0, 500));
    }
  }
}

const MOST_ITEMS = 500;
const MOST_PAGE_CHARACTERS = 2_097_152;

/** A page of a list for a client, and where the next one begins. The cursor says all there is to know: nothing is kept for it. */
export function toPage(items: readonly JsonObject[], kind: ListKind, cursor: string | undefined) {
  const start = cursor === undefined ? 0 : readCursor(kind, cursor);
  let end = start;
  for (let characters = 0; end < items.length && end - start < MOST_ITEMS; end += 1) {
    characters += JSON.stringify(items[end]).length;
    if (characters > MOST_PAGE_CHARACTERS && end > start) break;
  }
  return { items: items.slice(start, end), nextCursor: end < items.length ? writeCursor(kind, end) : undefined };
}

function writeCursor(kind: ListKind, start: number): string {
  return Buffer.from(JSON.stringify([kind, start])).toString('base64url');
}

function readCursor(kind: ListKind, cursor: string): number {
  const [, digits] = new RegExp(`^\\["${kind}",(\\d{1,9})\\]$`).exec(cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const start = Number(digits);
  if (digits === undefined || writeCursor(kind, start) !== cursor) throw new DevsError('MESSAGE_REFUSED', { sentence: 'The cursor is none that devs has given out.' });
  return start;
}
