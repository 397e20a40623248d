import { describeCause, parseForeignDefinition, ToolRegistry, type JsonObject } from '@devs/core';
import type { Approval, PinBook } from '@devs/mcp';
import { diffLines, describeDefinition, describeText } from '../terminal/definition-diff.ts';

/** One thing of a server's that is pinned, and what the server shows of it now. */
export interface Pinned {
  /** What a person calls it: a tool as clients do; `server/instructions` for what a server says of itself. */
  readonly name: string;
  /** The server, as the configuration called it last. */
  readonly entry: string;
  readonly state: 'pinned' | 'new' | 'changed' | 'quarantined';
  /** Why nobody can approve it. */
  readonly reason?: string;
  /** What is approved by a yes now. */
  readonly approval: Approval;
  /** The definition as lines: of what is pinned, undefined for what a person has not seen before; and of what is shown now. */
  readonly before: readonly string[] | undefined;
  readonly after: readonly string[];
  /** ISO 8601. */
  readonly pinnedAt: string;
}

/** Everything that is pinned, by server, then by name. */
export function listPinned(book: PinBook): readonly Pinned[] {
  const all = [...book].flatMap(([key, { entry, tools, instructions }]): readonly Pinned[] => [
    ...[...tools].map(([ownName, { name, value, digest, changed, isNew, pinnedAt }]): Pinned => {
      const reason = changed === undefined ? undefined : findUnfit(changed.value);
      const state = changed === undefined ? (isNew === true ? 'new' : 'pinned') : reason === undefined ? 'changed' : 'quarantined';
      const approval = { key, of: { tool: ownName }, digest: changed?.digest ?? digest };
      const before = state === 'new' ? undefined : describeDefinition(value);
      return { name, entry, state, approval, before, after: describeDefinition(changed?.value ?? value), pinnedAt, ...(reason !== undefined && { reason }) };
    }),
    ...(instructions === undefined ? [] : [instructions]).map(({ value, digest, changed, pinnedAt }): Pinned => {
      const approval = { key, of: 'instructions', digest: changed?.digest ?? digest } as const;
      const state = changed === undefined ? 'pinned' : 'changed';
      return { name: `${entry}/instructions`, entry, state, approval, before: describeText(value), after: describeText(changed?.value ?? value), pinnedAt };
    }),
  ]);
  return all.toSorted((one, other) => compare(one.entry, other.entry) || compare(one.name, other.name));
}

/** Why a definition cannot be offered whoever says yes: characters that a person does not see, a schema that cannot be held to. */
function findUnfit(value: JsonObject): string | undefined {
  try {
    const definition = parseForeignDefinition(value);
    const registration = new ToolRegistry().tryRegister({ definition, authorship: 'foreign', kind: 'upstream', handler: async () => '', effects: true, labels: [], source: '' });
    return 'refused' in registration ? registration.refused.reason : undefined;
  } catch (cause) {
    return describeCause(cause);
  }
}

/** What a person is shown before they say yes: every line is safe for a terminal. */
export function describeChange({ name, entry, pinnedAt, before, after, reason }: Pinned): readonly string[] {
  const head = before === undefined ? [`--- not there before`, `+++ ${name} of ${entry}, pinned on ${pinnedAt}`] : [`--- ${name} of ${entry}, pinned on ${pinnedAt}`, `+++ ${name} as ${entry} shows it now`];
  return [...head, ...diffLines(before ?? [], after), ...(reason === undefined ? [] : [`! ${reason}`])];
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
