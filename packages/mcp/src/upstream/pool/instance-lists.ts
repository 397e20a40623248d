import { setImmediate } from 'node:timers/promises';
import { cutWords, describeCause, toClientName, type StructuredLogger } from '@devs/core';
import type { UpstreamEvent } from '../../protocol/upstream.ts';
import type { ListKind } from '../../relay/ports.ts';
import type { Timers } from '../protocol/timers.ts';
import type { UriTemplate } from './catalog-templates.ts';
import { LISTS, type CatalogEntry } from './catalog.ts';
import { toPublicName } from './names.ts';
import type { Patience } from './patience.ts';
import type { UpstreamInstance } from './upstream-instance.ts';
import { quote } from './tool-names.ts';
import type { ServerTools } from './upstream-pool-tools.ts';

/** One server of the configuration, for this client. */
export interface UpstreamPart {
  readonly server: UpstreamInstance;
  readonly tools: ServerTools;
  readonly namespace: string;
  /** Tells the client what concerns this server, if it may hear of it. */
  readonly tell: (event: UpstreamEvent) => void;
}

export interface InstanceListsOptions {
  /** In the order of the configuration. */
  readonly parts: ReadonlyMap<string, Pick<UpstreamPart, 'server' | 'namespace' | 'tell'> & { readonly tools: Pick<ServerTools, 'refuseName'> }>;
  readonly patience: Patience;
  readonly timers: Timers;
  readonly logger: StructuredLogger;
}

/** An entry of a list, with the server that has it. */
export interface GatheredEntry extends CatalogEntry {
  readonly server: string;
  /** What no second entry may have. */
  readonly claim: string;
}

export interface Wanted {
  /** Only entries with this key are of use. */
  readonly key?: string;
  readonly signal: AbortSignal;
  /** The client gets the list, and waits no longer for it than for servers to start. Default false: it is looked into. */
  readonly isList?: boolean;
}

interface ServerTemplates {
  readonly name: string;
  readonly templates: readonly UriTemplate[];
}

/** Of devs's own, whether there are any or not: no server gets them. */
export const OWN_URI = /^devs:/i;
const MOST_REMEMBERED = 1_000;
/** Places of URIs that are held against templates before others have their turn, and for one list in all. */
const COMPARED_AT_ONCE = 100_000;
const MOST_COMPARED = 50_000_000;

/** The lists of all servers of one client as one. */
export class InstanceLists {
  readonly #options: InstanceListsOptions;
  readonly #said = new Set<string>();
  /** A client waits for each of these once: a server that gives no list must not hold up those of the others. */
  readonly #late = new Set<string>();

  constructor(options: InstanceListsOptions) {
    this.#options = options;
  }

  /** The servers that have it, of those that are there. */
  having(capability: 'resources' | 'prompts'): readonly string[] {
    return [...this.#options.parts].flatMap(([name, { server }]) => (server.has(capability) ? [name] : []));
  }

  /** In the order of the configuration, without what is not theirs to name. */
  async gather(kind: ListKind, { key, ...asked }: Wanted): Promise<readonly GatheredEntry[]> {
    const lists = await Promise.all(this.having(LISTS[kind].capability).map(async (name) => ({ name, entries: await this.#listOf(name, kind, asked) })));
    const templates = kind === 'resources' && lists.length > 1 ? await this.#templatesOf(asked) : [];
    const taken = new Map<string, string>();
    const shownAs = new Map<string, string>();
    const gathered: GatheredEntry[] = [];
    let compared = 0;
    let sinceTurn = 0;
    const spend = (places: number) => {
      compared += places;
      sinceTurn += places;
    };
    for (const { name: server, entries } of lists) {
      const before = templates.slice(0, templates.findIndex(({ name }) => name === server));
      for (const entry of entries) {
        if (key !== undefined && entry.key !== key) continue;
        const shown = this.#toShown(kind, server, entry);
        const refusal = this.#refusePrompt(kind, shown, shownAs) ?? refuseEntry(shown, { kind, taken, templates: before, isTooMuch: compared > MOST_COMPARED, spend });
        if (refusal !== undefined) this.#say(server, entry.key, refusal);
        else gathered.push(shown);
        if (refusal === undefined) taken.set(shown.claim, server);
        if (refusal === undefined && kind === 'prompts') shownAs.set(toClientName(shown.claim), server);
        if (sinceTurn < COMPARED_AT_ONCE) continue;
        sinceTurn = 0;
        await setImmediate();
      }
    }
    return gathered;
  }

  /** A name may be that of a server which is down, or which this client may not reach: its prompts are nobody else's. */
  #refusePrompt(kind: ListKind, { server, claim }: GatheredEntry, shownAs: ReadonlyMap<string, string>): string | undefined {
    if (kind !== 'prompts') return undefined;
    const owner = shownAs.get(toClientName(claim));
    // Of one server's own only those of the very same name: names of prompts are in any letters, and `toClientName` keeps ASCII alone.
    if (owner !== undefined && owner !== server) return `The server ${JSON.stringify(owner)} has one of this name.`;
    return this.#options.parts.get(server)?.tools.refuseName(claim);
  }

  async #templatesOf(asked: Omit<Wanted, 'key'>): Promise<readonly ServerTemplates[]> {
    const lists = await Promise.all(this.having('resources').map(async (name) => ({ name, entries: await this.#listOf(name, 'templates', asked) })));
    return lists.map(({ name, entries }) => ({ name, templates: entries.flatMap(({ template }) => template ?? []) }));
  }

  /** One that gives no list, or not in time, takes nothing from those of the others. */
  async #listOf(name: string, kind: ListKind, { signal, isList = false }: Omit<Wanted, 'key'>): Promise<readonly CatalogEntry[]> {
    const { parts, timers, patience: { useMs, listMs } } = this.#options;
    const part = parts.get(name);
    if (part === undefined) return [];
    const { server } = part;
    const mark = `${name} ${kind} ${isList ? 'listed' : 'looked into'}`;
    const done = new AbortController();
    const listing = this.#ask(server, kind, signal).finally(() => this.#late.delete(mark));
    const patience = timers.sleep(this.#late.has(mark) ? 0 : isList ? listMs : useMs, done.signal).then(() => undefined);
    try {
      const entries = await Promise.race([listing, patience]);
      if (entries !== undefined) return entries;
      const last = server.lastListed(kind);
      if (isList && last === undefined && !this.#late.has(mark)) void tellOnceListed(part, kind);
      this.#late.add(mark);
      listing.catch(() => undefined);
      return last ?? [];
    } finally {
      done.abort();
    }
  }

  async #ask(server: UpstreamInstance, kind: ListKind, signal: AbortSignal): Promise<readonly CatalogEntry[]> {
    try {
      return await server.list(kind, signal);
    } catch (cause) {
      if (signal.aborted) throw cause;
      // Servers with resources and no templates answer so.
      const isUnknownMethod = cause instanceof Error && 'code' in cause && cause.code === -32_601;
      if (!isUnknownMethod) this.#options.logger.warn('UPSTREAM_LIST_FAILED', { source: server.name, list: kind, error: cutWords(describeCause(cause), 500) });
      return [];
    }
  }

  #toShown(kind: ListKind, server: string, entry: CatalogEntry): GatheredEntry {
    const { key, item, template } = entry;
    if (kind === 'prompts') {
      const name = toPublicName(this.#options.parts.get(server)?.namespace ?? server, key);
      return { server, key, item: { ...item, name }, claim: name };
    }
    return { ...entry, server, claim: template?.shape ?? key };
  }

  /** Once for each entry. */
  #say(server: string, entry: string, reason: string): void {
    const key = `${server} ${entry} ${reason}`;
    if (this.#said.has(key) || this.#said.size >= MOST_REMEMBERED) return;
    this.#said.add(key);
    this.#options.logger.warn('UPSTREAM_ENTRY_REFUSED', { source: server, entry: quote(entry), reason });
  }
}

/** The client has been given a list without these, and not what was listed before either. Why there is no list is said by who asked first. */
async function tellOnceListed({ server, tell }: Pick<UpstreamPart, 'server' | 'tell'>, kind: ListKind): Promise<void> {
  const entries = await server.list(kind, new AbortController().signal).catch(() => []);
  if (entries.length > 0) tell({ kind: kind === 'prompts' ? 'prompts-changed' : 'resources-changed' });
}

interface Claims {
  readonly kind: ListKind;
  readonly taken: ReadonlyMap<string, string>;
  /** Of the servers before this one. */
  readonly templates: readonly ServerTemplates[];
  readonly isTooMuch: boolean;
  readonly spend: (places: number) => void;
}

/** A server that names what is another's would be read in its place. */
function refuseEntry({ claim, key }: GatheredEntry, { kind, taken, templates, isTooMuch, spend }: Claims): string | undefined {
  if (kind !== 'prompts' && OWN_URI.test(key)) return 'URIs that begin with devs: are devs’s own.';
  const owner = taken.get(claim);
  if (owner !== undefined) return `The server ${JSON.stringify(owner)} has one of this name.`;
  // Not looked through, it could be another's; and servers with templates and URIs made for it would keep devs at it for minutes.
  if (isTooMuch && templates.length > 0) return 'There are too many templates of other servers to hold it against.';
  const shadowed = templates.find(({ templates: own }) => own.some((template) => template.matches(key, spend)));
  return shadowed === undefined ? undefined : `It is a URI of the server ${JSON.stringify(shadowed.name)}, by one of its templates.`;
}
