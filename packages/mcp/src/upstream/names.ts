import { createHash } from 'node:crypto';
import type { McpServerConfig } from '@devs/core';

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
  return `${whole.slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}

export interface PublicNamesOptions {
  /** By entry, in the order of the configuration. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Names of devs's own, which no server gets. */
  readonly own: Iterable<string>;
}

/**
 * Who may have which name. Of two servers that want the same, the one that stands first in the configuration gets it,
 * whichever is quicker: what a name calls must not depend on who starts first.
 */
export class PublicNames {
  readonly #namespaces: ReadonlyMap<string, string>;
  readonly #ranks: ReadonlyMap<string, number>;
  /** In lower case: `Read_File` beside `read_file` is there to be mistaken for it. */
  readonly #own: ReadonlySet<string>;
  readonly #owners = new Map<string, string>();

  constructor({ namespaces, own }: PublicNamesOptions) {
    this.#namespaces = namespaces;
    this.#ranks = new Map([...namespaces.keys()].map((entry, rank) => [entry, rank]));
    this.#own = new Set([...own].map((name) => name.toLowerCase()));
  }

  /** The name is the server's from now on. Gives why it is not. */
  claim(name: string, entry: string): string | undefined {
    if (this.#own.has(name.toLowerCase())) return 'The name is one of devs’s own tools.';
    const other = this.#findNamespace(name, entry);
    if (other !== undefined) return `The name begins as those of the server ${JSON.stringify(other)} do.`;
    const owner = this.#owners.get(name);
    if (owner !== undefined && owner !== entry && this.#rankOf(owner) <= this.#rankOf(entry)) return `The server ${JSON.stringify(owner)} has a tool of this name.`;
    this.#owners.set(name, entry);
    return undefined;
  }

  ownerOf(name: string): string | undefined {
    return this.#owners.get(name);
  }

  /** The server gives the name up. */
  release(name: string, entry: string): void {
    if (this.#owners.get(name) === entry) this.#owners.delete(name);
  }

  /** A server without a namespace of its own must not name tools as another's are named. */
  #findNamespace(name: string, entry: string): string | undefined {
    const own = this.#namespaces.get(entry);
    for (const [other, namespace] of this.#namespaces) {
      // In lower case as well: what is mistaken for another's is meant to be.
      const begins = name.toLowerCase().startsWith(`${namespace}${PART}`.toLowerCase());
      if (namespace !== '' && namespace !== own && namespace.length > (own?.length ?? 0) && begins) return other;
    }
    return undefined;
  }

  #rankOf(entry: string): number {
    return this.#ranks.get(entry) ?? Number.MAX_SAFE_INTEGER;
  }
}
