/** Levels of a whole message. The arguments of a call have their own, smaller bound in the gate. */
const MAX_DEPTH = 128;
/** Of objects in a message of a client: each is looked at by the SDK, the schema, the redaction and the log, one after the other, while everybody else waits. */
const MOST_MEMBERS = 50_000;

/** What is wrong with a value that JSON can say and no message may hold. */
export interface Flaw {
  /** Keys from the inspected value to the place. */
  readonly path: readonly string[];
  readonly problem: string;
}

interface Walk {
  readonly path: string[];
  /** Set when a number was met that JavaScript may not hold exactly. */
  hasUnsafeInteger: boolean;
  values: number;
  members: number;
}

export interface Inspection {
  readonly flaw: Flaw | undefined;
  readonly hasUnsafeInteger: boolean;
  /** How many values were walked: what it costs in memory is not told by its bytes. */
  readonly values: number;
}

class Found extends Error {
  readonly flaw: Flaw;

  constructor(flaw: Flaw) {
    super(flaw.problem);
    this.flaw = flaw;
  }
}

/**
 * Looks for an own `__proto__`, which `JSON.parse` makes and every merge or spread turns into a prototype,
 * and for depth and keys that would overflow, or hold up, whoever walks the value next.
 */
export function inspect(value: unknown): Inspection {
  const walk: Walk = { path: [], hasUnsafeInteger: false, values: 0, members: 0 };
  try {
    visit(value, walk);
    return { flaw: undefined, hasUnsafeInteger: walk.hasUnsafeInteger, values: walk.values };
  } catch (cause) {
    if (cause instanceof Found) return { flaw: cause.flaw, hasUnsafeInteger: walk.hasUnsafeInteger, values: walk.values };
    throw cause;
  }
}

function visit(value: unknown, walk: Walk): void {
  walk.values += 1;
  if (typeof value === 'number') walk.hasUnsafeInteger ||= isUnsafe(value);
  if (typeof value !== 'object' || value === null) return;
  if (walk.path.length >= MAX_DEPTH) throw found(walk, `is nested deeper than ${MAX_DEPTH} levels`);
  const keys = Object.keys(value);
  if (!Array.isArray(value)) walk.members += keys.length;
  if (walk.members > MOST_MEMBERS) throw new Found({ path: ['params'], problem: `hold more than ${MOST_MEMBERS} members of objects` });
  for (const key of keys) {
    walk.path.push(key);
    if (key === '__proto__') throw found(walk, 'is a key that reaches an object’s prototype');
    visit(Reflect.get(value, key), walk);
    walk.path.pop();
  }
}

function found({ path }: Walk, problem: string): Found {
  return new Found({ path: [...path], problem });
}

/**
 * The first number of the text that a JavaScript number cannot hold: a whole one past 2^53, or any past
 * its range. It would be changed on its way: an account 9007199254740993 would become another one's.
 */
export function findChangedInteger(text: string): string | undefined {
  let changed: string | undefined;
  JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    const { source = '' } = context ?? {};
    if (changed === undefined && typeof value === 'number' && isChanged(value, source)) changed = source;
    return value;
  });
  return changed;
}

/** The range is asked first: `BigInt` has no infinity, and takes its time for a million digits. */
function isChanged(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true;
  return isUnsafe(value) && /^-?\d+$/.test(source) && BigInt(source) !== BigInt(value);
}

function isUnsafe(value: number): boolean {
  return !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));
}
