import { cutWords, DevsError, toClientName } from '@devs/core';
import type { ServerPins } from '../../pins/pin-store.ts';
import type { ListedTool } from './listed-tools.ts';
import { LONGEST_NAME, toPublicName } from './names.ts';

/** What a listing has given names to so far. */
export interface KnownNames {
  readonly pins: ServerPins | undefined;
  /** By the names that devs gives them. */
  readonly tools: ReadonlyMap<string, { readonly ownName: string }>;
  /** See `holdersOf`. */
  readonly holders: ReadonlyMap<string, string>;
}

/**
 * By the name that clients show, the one tool of a listing that has it. Of several that they show as one, `a.b` and `a_b`, one
 * that is pinned goes before all that are new: a server would else put another tool in the place of one that was approved.
 */
export function holdersOf(tools: readonly ListedTool[], { namespace, pins }: { readonly namespace: string; readonly pins: ServerPins | undefined }): ReadonlyMap<string, string> {
  const names = tools.flatMap((tool) => ('refusal' in tool ? [] : [tool.name]));
  const ordered = [...names.filter((name) => pins?.tools.has(name) === true), ...names];
  // The last one of a name in a map is the one that stays.
  return new Map(ordered.toReversed().map((name) => [toClientName(toPublicName(namespace, name)), name]));
}

/** Before it is cut: what is cut off must not be what would have been refused. */
export function requireOwnName(name: string): void {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return;
  throw new DevsError('TOOL_NAME_REFUSED', { sentence: 'A tool name is 1 to 128 characters of A-Z a-z 0-9 _ . -.' });
}

/**
 * A long name is cut and marked, and a server can look for two that are marked alike: by the second it would change what was
 * pinned of the first, and nobody would be told of a change.
 */
export function requireOneName(name: string, { namespace, ownName }: { readonly namespace: string; readonly ownName: string }, { tools, pins, holders }: KnownNames): void {
  const holder = holders.get(toClientName(name)) ?? ownName;
  if (holder !== ownName) throw new DevsError('TOOL_NAME_REFUSED', { sentence: `Clients would see it under the name of another tool of the server, ${quote(holder)}.` });
  // Shorter ones are not cut, and stand for themselves.
  if (namespace === '' || name.length < LONGEST_NAME) return;
  const known = [tools.get(name)?.ownName ?? ownName, ...(pins?.tools.keys() ?? [])];
  const before = known.find((other) => other !== ownName && toPublicName(namespace, other) === name);
  if (before === undefined) return;
  throw new DevsError('TOOL_NAME_REFUSED', { sentence: `Clients would see it under the name of another tool of the server, ${quote(before)}.` });
}

/** A name that may be anything, short and in ASCII: what is refused for its hidden characters is not shown with them. */
export function quote(name: string): string {
  return JSON.stringify(cutWords(name, 60)).replace(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
