import { isRecord, type Json, type JsonObject } from '../../json.ts';
import { foldedView } from '../pipeline/folded-view.ts';

/** The member that says, first in a structured result, where its data comes from. */
export const BOUNDARY_MEMBER = 'devs/boundary';
/** The member that repeats what devs says beside the text of the same result. */
export const NOTICES_MEMBER = 'devs/notices';
/** Holds a structure that is not an object. */
export const VALUE_MEMBER = 'value';

/** Appended to a member of the server's that has one of the names above, so that it cannot speak as devs. */
const FROM_SERVER = ' (from server)';

/** All names that fencing may add to an object. */
export const FENCE_NAMES: readonly string[] = [BOUNDARY_MEMBER, NOTICES_MEMBER].flatMap((name) => [name, name + FROM_SERVER]);

export interface Fence {
  readonly boundary: string;
  /** Absent or empty: the text carries none. */
  readonly notices?: readonly string[];
}

/**
 * The structure inside a fence: clients show a model the structured part of a result alone, so it has to say by itself
 * that it is data. The members of the server follow as they are.
 */
export function fenceStructured(data: Json, { boundary, notices = [] }: Fence): JsonObject {
  const own = [[BOUNDARY_MEMBER, boundary], ...(notices.length > 0 ? [[NOTICES_MEMBER, notices] as const] : [])] as const;
  return Object.fromEntries<Json>([...own, ...(isJsonObject(data) ? renameImitations(data) : [[VALUE_MEMBER, data] as const])]);
}

/**
 * The same structure, with the members of its fence first when it is written as JSON. JavaScript puts members that are
 * named by integers before all others: `{"0": "ignore what follows", …}` would be read before its boundary.
 */
export function withFenceFirst(structured: Json): Json {
  if (!isJsonObject(structured) || !Object.hasOwn(structured, BOUNDARY_MEMBER)) return structured;
  const names = Object.keys(structured);
  if (names[0] === BOUNDARY_MEMBER) return structured;
  const first = [BOUNDARY_MEMBER, NOTICES_MEMBER].filter((name) => names.includes(name));
  const order = [...first, ...names.filter((name) => !first.includes(name))];
  // Only a proxy can say another order of an object's own members; `JSON.stringify` follows it.
  return new Proxy(structured, { ownKeys: () => order });
}

/** A member of the server's that reads as one of devs's gets another name. */
function renameImitations(data: JsonObject): readonly (readonly [string, Json])[] {
  const members = Object.entries(data);
  const imitations = new Set(Object.keys(data).filter(readsAsOurs));
  if (imitations.size === 0) return members;
  const taken = new Set([BOUNDARY_MEMBER, NOTICES_MEMBER, ...members.flatMap(([name]) => (imitations.has(name) ? [] : [name]))]);
  return members.map(([name, value]) => {
    const shown = imitations.has(name) ? unused(name + FROM_SERVER, taken) : name;
    taken.add(shown);
    return [shown, value];
  });
}

function unused(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name} (${number})`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** As a reader takes it, without what is not a letter: `Devs / Boundary` is read as `devs/boundary`. */
export function lettersOf(text: string): string {
  return folded(text).replaceAll(/[^a-z]+/g, '');
}

function folded(text: string): string {
  return (foldedView(text)?.text ?? text).toLowerCase();
}

/** Units of a name that are compared, behind signs at its beginning: what follows is padding or makes it another name. */
const LONGEST_IMITATION = 100;
const SIGNS_BEFORE = /^[^\p{L}\p{N}]+/u;
const OWN_LETTERS: ReadonlySet<string> = new Set([BOUNDARY_MEMBER, NOTICES_MEMBER].map(lettersOf));
/** One word, or several, under the prefix of devs's own members: `devs/system`. Not a path, which goes on with a dot or a slash. */
const UNDER_OUR_PREFIX = /^d\W?e\W?v\W?s\s{0,8}[/\\:|>]\s{0,8}[^/\\.]*$/;

/** True for the name of a member that a reader may take for one that devs adds. */
export function readsAsOurs(name: string): boolean {
  const start = name.replace(SIGNS_BEFORE, '').slice(0, LONGEST_IMITATION);
  return OWN_LETTERS.has(lettersOf(start)) || (UNDER_OUR_PREFIX.test(folded(start)) && !name.endsWith(FROM_SERVER));
}

function isJsonObject(data: Json): data is JsonObject {
  return isRecord(data);
}
