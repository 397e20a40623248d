import { hasPlainPrototype } from './is-plain-json.ts';

const MOST_NODES = 10_000;
const MOST_DEPTH = 64;
const MOST_CHARACTERS = 4_096;

interface Walk {
  nodes: number;
  readonly ancestors: unknown[];
}

function describeLeaf(value: unknown): unknown {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}[cut]` : value;
    case 'number':
      return Number.isFinite(value) ? value : `[number ${value}]`;
    case 'bigint':
      // A huge one takes minutes to print.
      return value > -(2n ** 64n) && value < 2n ** 64n ? `[bigint ${value}]` : '[bigint]';
    default:
      return value === null ? null : `[${typeof value}]`;
  }
}

function describeMember(owner: object, key: string, walk: Walk): unknown {
  const property = Object.getOwnPropertyDescriptor(owner, key);
  if (property === undefined) return '[missing]';
  // A getter is somebody else's code; it is named and not run.
  if (property.get !== undefined || property.set !== undefined) return '[accessor]';
  return walkValue(property.value, walk);
}

function describeObject(owner: object, walk: Walk): unknown {
  // Its keys would be its bytes.
  if (ArrayBuffer.isView(owner)) return `[binary, ${owner.byteLength} bytes]`;
  const keys = Object.keys(owner).slice(0, MOST_NODES - walk.nodes + 1);
  if (Array.isArray(owner)) return keys.map((key) => describeMember(owner, key, walk));
  const members = keys.map((key) => [key, describeMember(owner, key, walk)]);
  // fromEntries defines: a key `__proto__` becomes a plain member.
  return Object.fromEntries(hasPlainPrototype(owner) ? members : [['[instance]', true], ...members]);
}

function walkValue(value: unknown, walk: Walk): unknown {
  walk.nodes += 1;
  if (walk.nodes > MOST_NODES) return '[more]';
  if (typeof value !== 'object' || value === null) return describeLeaf(value);
  if (walk.ancestors.includes(value)) return '[circular]';
  if (walk.ancestors.length >= MOST_DEPTH) return '[deeper]';
  walk.ancestors.push(value);
  try {
    return describeObject(value, walk);
  } catch {
    return '[unreadable]';
  } finally {
    walk.ancestors.pop();
  }
}

/**
 * A plain copy of anything, for evidence: what JSON cannot carry becomes a word in brackets
 * (`[bigint 1]`, `[undefined]`, `[circular]`). Runs no getter and no `toJSON`; never throws.
 * Bounded: 10,000 nodes, 64 levels, strings of 4,096 characters.
 */
export function describeValue(value: unknown): unknown {
  return walkValue(value, { nodes: 0, ancestors: [] });
}
