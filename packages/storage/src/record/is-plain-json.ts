/** As deep as both `JSON.stringify` and a reader's `JSON.parse` go without a worry about the stack. */
const MOST_DEPTH = 500;

interface Budget {
  nodes: number;
}

/** An object literal's, of any realm: `structuredClone` under jest makes objects of another one. */
export function hasPlainPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return typeof prototype !== 'object' || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isPlainObject(value: object, depth: number, budget: Budget): boolean {
  if (!hasPlainPrototype(value)) return false;
  if ('toJSON' in value && typeof value.toJSON === 'function') return false;
  return Object.values(value).every((member) => isPlain(member, depth - 1, budget));
}

function isPlainArray(value: readonly unknown[], depth: number, budget: Budget): boolean {
  if ('toJSON' in value) return false;
  for (const member of value) if (!isPlain(member, depth - 1, budget)) return false;
  return true;
}

function isPlain(value: unknown, depth: number, budget: Budget): boolean {
  budget.nodes -= 1;
  if (budget.nodes < 0) return true;
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth <= 0) return false;
  return Array.isArray(value) ? isPlainArray(value, depth, budget) : isPlainObject(value, depth, budget);
}

/**
 * Whether `JSON.stringify` keeps all of the value: it drops `undefined` and functions, turns NaN into
 * null, and lets `toJSON` say anything. Looks at `mostNodes` nodes at most; a larger value is taken
 * for plain, so give at least as many as the text may have characters. May throw on a hostile proxy.
 */
export function isPlainJson(value: unknown, mostNodes: number): boolean {
  return isPlain(value, MOST_DEPTH, { nodes: mostNodes });
}
