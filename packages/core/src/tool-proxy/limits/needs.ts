import type { Bound } from './bound.ts';

/** Whose calls are counted together. */
export interface Principal {
  readonly name: string;
  /** For calls that no other call has made. */
  readonly own: readonly Bound[];
  /** For calls that another call of theirs has made. */
  readonly ofChildren: readonly Bound[];
  waiting: number;
  /**
   * The oldest call that was passed over because its principal had no place, when all else had one: the next that comes
   * free is kept for it. Else its principal's other calls could take each of them for ever.
   */
  owed: { readonly number: number } | undefined;
}

/** What one call needs room in: in all of it at once. It holds none of it while it waits for the rest. */
export interface Needs {
  readonly principal: Principal;
  readonly isChild: boolean;
  /** Of its server and its tool, which other principals use too. */
  readonly shared: readonly Bound[];
  /** Those of them that are limited. */
  readonly server: string | undefined;
  readonly tool: string | undefined;
}

function ownOf({ principal, isChild }: Needs): readonly Bound[] {
  return isChild ? principal.ofChildren : principal.own;
}

/**
 * How much of its principal's room is not for this call. What a call under way has called is not kept waiting: what is kept
 * may be for one that waits for that very call.
 */
function keptFrom({ principal: { owed }, isChild }: Needs, asked: object | undefined): number {
  return isChild || owed === undefined || owed === asked ? 0 : 1;
}

export function hasSharedRoom({ shared }: Needs): boolean {
  return shared.every((bound) => bound.waitMs(0) === 0);
}

/** @param asked the call, where it waits already */
export function hasRoom(needs: Needs, asked?: object): boolean {
  const kept = keptFrom(needs, asked);
  return ownOf(needs).every((bound) => bound.waitMs(kept) === 0) && hasSharedRoom(needs);
}

/** Milliseconds until there is room in all; Infinity: when a call under way ends. */
export function waitMs(needs: Needs, asked?: object): number {
  return Math.max(0, ...waitsOf(needs, asked));
}

/** Milliseconds before which there is no room, whatever ends. */
export function leastWaitMs(needs: Needs): number {
  return Math.max(0, ...waitsOf(needs, undefined).filter((wait) => wait !== Infinity));
}

function waitsOf(needs: Needs, asked: object | undefined): readonly number[] {
  const kept = keptFrom(needs, asked);
  return [...ownOf(needs).map((bound) => bound.waitMs(kept)), ...needs.shared.map((bound) => bound.waitMs(0))];
}

/** The entry of the configuration that has no room; undefined where all have. */
export function fullEntry(needs: Needs): string | undefined {
  return [...ownOf(needs), ...needs.shared].find((bound) => bound.waitMs(0) > 0)?.entry;
}

export function takeAll(needs: Needs): void {
  for (const bound of ownOf(needs)) bound.take();
  for (const bound of needs.shared) bound.take();
}

export function giveBackAll(needs: Needs): void {
  for (const bound of ownOf(needs)) bound.giveBack();
  for (const bound of needs.shared) bound.giveBack();
}
