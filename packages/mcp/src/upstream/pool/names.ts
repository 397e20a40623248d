import { createHash } from 'node:crypto';
import { toClientName, toNameKey, type McpServerConfig } from '@devs/core';

/** Clients cut, or refuse, what is longer. */
export const LONGEST_NAME = 64;
const PART = '__';

/** What stands before the names of a server's tools and prompts. Empty: nothing does. */
export function namespaceOf(entry: string, { namespace = entry }: McpServerConfig): string {
  return namespace;
}

/**
 * A name of a server's as clients see it: the same for ever, whatever else is there. One that is too long is cut, and
 * marked with 8 hex digits of the SHA-256 of all of it. A server without a namespace keeps its names as they are.
 */
export function toPublicName(namespace: string, ownName: string): string {
  if (namespace === '') return ownName;
  const whole = `${namespace}${PART}${ownName}`;
  if (whole.length <= LONGEST_NAME) return whole;
  const mark = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  // Not within a character: of a list with half of one in it some clients would read nothing.
  return `${whole.slice(0, LONGEST_NAME - mark.length - 1).replace(/[\ud800-\udbff]$/, '')}_${mark}`;
}

export interface PublicNamesOptions {
  /** By entry, in the order of the configuration. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Names of devs's own, which no server gets. */
  readonly own: Iterable<string>;
}

/**
 * Who may have which name. A namespace belongs to the entry that stands first in the configuration, whether its server is there
 * or not: else a server that a project brings could wait until the operator's is down, and be called in its place. Of two
 * servers that want the same name, the one that stands first gets it, whichever is quicker: what a name calls must not depend
 * on who starts first. Names are the same that clients show as the same (`toClientName`).
 */
export class PublicNames {
  readonly #namespaces: ReadonlyMap<string, string>;
  readonly #ranks: ReadonlyMap<string, number>;
  /** Folded, in lower case: `Read_File` beside `read_file` is there to be mistaken for it. */
  readonly #own: ReadonlySet<string>;
  /** By folded name, the names that are shown as it, each with its entry. */
  readonly #owners = new Map<string, Map<string, string>>();
  /** By folded namespace in lower case, the entry that it belongs to. */
  readonly #holders = new Map<string, string>();

  constructor({ namespaces, own }: PublicNamesOptions) {
    this.#namespaces = namespaces;
    this.#ranks = new Map([...namespaces.keys()].map((entry, rank) => [entry, rank]));
    for (const [entry, namespace] of namespaces) {
      const key = toNameKey(namespace);
      if (key !== '' && !this.#holders.has(key)) this.#holders.set(key, entry);
    }
    this.#own = new Set([...own].map(toNameKey));
  }

  /** The name is the server's from now on. Gives why it is not. */
  claim(name: string, entry: string): string | undefined {
    if (this.#own.has(toNameKey(name))) return 'The name is one of devs’s own tools.';
    const refusal = this.refuse(name, entry);
    if (refusal !== undefined) return refusal;
    const owners = this.#owners.get(toClientName(name)) ?? new Map<string, string>();
    const others = [...owners].filter(([, owner]) => owner !== entry);
    const first = others.find(([, owner]) => this.#rankOf(owner) <= this.#rankOf(entry));
    if (first !== undefined) return `The server ${JSON.stringify(first[1])} has a tool of this name.`;
    for (const [other] of others) owners.delete(other);
    this.#owners.set(toClientName(name), owners.set(name, entry));
    return undefined;
  }

  /** Why a name, of a tool or of a prompt, is not the server's whoever else has one of it: its namespace is another's, or it begins as those of another do. */
  refuse(name: string, entry: string): string | undefined {
    const holder = this.#holders.get(toNameKey(this.#namespaces.get(entry) ?? ''));
    if (holder !== undefined && holder !== entry) return `The server ${JSON.stringify(holder)} stands first in the configuration with this namespace; give this one another.`;
    const other = this.#findNamespace(name, entry);
    return other === undefined ? undefined : `The name begins as those of the server ${JSON.stringify(other)} do.`;
  }

  ownerOf(name: string): string | undefined {
    return this.#owners.get(toClientName(name))?.get(name);
  }

  /** The server gives the name up. */
  release(name: string, entry: string): void {
    const owners = this.#owners.get(toClientName(name));
    if (owners?.get(name) === entry) owners.delete(name);
    if (owners?.size === 0) this.#owners.delete(toClientName(name));
  }

  /**
   * A server must not name tools as another's are named, in lower case and folded neither. Of `a` and `a_` both begin `a___x`: it is of
   * the longer one. Those of one length are of one entry, or begin otherwise.
   */
  #findNamespace(name: string, entry: string): string | undefined {
    const { length } = this.#namespaces.get(entry) ?? '';
    const lower = toNameKey(name);
    return [...this.#holders].find(([namespace]) => namespace.length > length && lower.startsWith(`${namespace}${PART}`))?.[1];
  }

  #rankOf(entry: string): number {
    return this.#ranks.get(entry) ?? Number.MAX_SAFE_INTEGER;
  }
}
