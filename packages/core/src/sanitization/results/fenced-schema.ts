import { isRecord, ownValue, type Json, type JsonObject } from '../../json.ts';
import { compilePattern } from '../../patterns/compile-pattern.ts';
import { BOUNDARY_MEMBER, FENCE_NAMES, lettersOf, NOTICES_MEMBER, readsAsOurs, VALUE_MEMBER } from './structured-fence.ts';

/** The members of the fence cannot be added to the schema without the risk that it takes less than before. */
class Unfenceable extends Error {}

const FENCE: JsonObject = {
  [BOUNDARY_MEMBER]: { type: 'string', description: 'Said by devs: where the data in this object comes from.' },
  [NOTICES_MEMBER]: { type: 'array', items: { type: 'string' }, description: 'Said by devs about this result.' },
};
/** Where objects inside the data are held to the same schema: there the names are the server's, and hold anything. */
const OPEN_FENCE: JsonObject = { [BOUNDARY_MEMBER]: true, [NOTICES_MEMBER]: true };

/** Keywords that bind a schema to its place: a copy of it would mean something else. */
const PLACED = /"\$(?:dynamicRef|recursiveRef|anchor|dynamicAnchor|recursiveAnchor)":/;
/** Rules on the whole object that cannot be extended by the fence. Without them the schema takes more, never less. */
const DROPPED: ReadonlySet<string> = new Set(['const', 'enum', 'not', 'if', 'then', 'else', '$ref', 'allOf', 'oneOf']);
const LABELS = ['$schema', 'title', 'description'] as const;
const DEFINITIONS = ['$defs', 'definitions'] as const;
const MOST_SCHEMAS = 500;
const MOST_LEVELS = 20;

/**
 * The output schema that is listed where structured results are fenced: whatever fits the author's schema fits this one
 * once it is fenced. Clients hold each answer to what is listed, and refuse one with a member too many. It may take more
 * than the author's does: devs has held the result to that one before. A schema that is too intricate becomes "an object".
 */
export function toFencedSchema(schema: JsonObject): JsonObject {
  try {
    return new Fencing(schema).fenced();
  } catch (cause) {
    if (!(cause instanceof Unfenceable)) throw cause;
    return { ...pick(schema, LABELS), type: 'object', properties: FENCE };
  }
}

class Fencing {
  readonly #root: JsonObject;
  readonly #isDraft07: boolean;
  readonly #targets: readonly string[];
  readonly #fence: JsonObject;
  #schemas = 0;

  constructor(root: JsonObject) {
    refuseIntricate(root);
    this.#root = root;
    this.#isDraft07 = /draft-0[4-7]/.test(String(ownValue(root, '$schema')));
    this.#targets = referencesIn(root);
    this.#fence = this.#targets.includes('#') ? OPEN_FENCE : FENCE;
  }

  fenced(): JsonObject {
    const type = this.#isDraft07 && '$ref' in this.#root ? undefined : this.#root['type'];
    if (type === 'object') {
      this.#refuseTargetsBut(/^#(?:\/(?:\$defs|definitions|properties)\/|$)/);
      return this.#withFence(this.#root, 0);
    }
    // From here on the schema stands inside another one, where a reference to its root would lead elsewhere.
    this.#refuseTargetsBut(/^#\/(?:\$defs|definitions)\//);
    if ('$id' in this.#root) throw new Unfenceable();
    const head = { ...pick(this.#root, [...LABELS, ...DEFINITIONS]), type: 'object' };
    const rest = omit(this.#root, [...LABELS, ...DEFINITIONS]);
    const value = { properties: { ...this.#fence, [VALUE_MEMBER]: rest }, required: [VALUE_MEMBER] };
    const mayBeObject = type === undefined || (Array.isArray(type) && type.includes('object'));
    return mayBeObject ? { ...head, anyOf: [this.#withFence(rest, 0), value] } : { ...head, ...value };
  }

  #refuseTargetsBut(allowed: RegExp): void {
    if (!this.#targets.every((target) => allowed.test(target))) throw new Unfenceable();
  }

  /** A schema that the whole object is held to, so that it takes the object with the fence too. */
  #withFence(schema: JsonObject, level: number): JsonObject {
    this.#schemas += 1;
    if (this.#schemas > MOST_SCHEMAS || level > MOST_LEVELS) throw new Unfenceable();
    const apply = (inner: Json) => (isJsonObject(inner) ? this.#withFence(inner, level + 1) : inner);
    const { $ref: reference } = schema;
    // Draft 7 ignores whatever stands beside a reference.
    const rules = reference !== undefined && this.#isDraft07 ? pick(schema, [...LABELS, ...DEFINITIONS]) : schema;
    const all = [
      ...(reference === undefined ? [] : [apply(this.#resolve(reference))]),
      ...toList(rules['allOf']).map(apply),
      // Two branches may both fit once each of them takes a little more.
      ...('oneOf' in rules ? [{ anyOf: toList(rules['oneOf']).map(apply) }] : []),
    ];
    const kept = Object.entries(rules).flatMap(([keyword, rule]) => (DROPPED.has(keyword) ? [] : [[keyword, extend(keyword, rule, apply)] as const]));
    const isClosed = level === 0 || 'additionalProperties' in rules || 'unevaluatedProperties' in rules;
    const properties = isClosed ? { properties: { ...this.#fence, ...toObject(rules['properties']) } } : {};
    return { ...Object.fromEntries(kept), ...properties, ...(all.length > 0 && { allOf: all }) };
  }

  #resolve(reference: Json): Json {
    const names = (typeof reference === 'string' ? reference : '').split('/').slice(1).map(toName);
    const target = names.reduce<unknown>(ownValue, this.#root);
    if (names.length === 0 || !(typeof target === 'boolean' || isJsonObject(target))) throw new Unfenceable();
    return target;
  }
}

function extend(keyword: string, rule: Json, apply: (inner: Json) => Json): Json {
  switch (keyword) {
    case 'anyOf':
      return toList(rule).map(apply);
    case 'dependentSchemas':
    case 'dependencies':
      return Object.fromEntries(Object.entries(toObject(rule)).map(([name, inner]) => [name, apply(inner)]));
    case 'maxProperties':
      return Number(rule) + Object.keys(FENCE).length;
    case 'propertyNames':
      return { anyOf: [rule, { enum: [...FENCE_NAMES] }] };
    case 'patternProperties':
      for (const pattern of Object.keys(toObject(rule))) refuseMatching(pattern);
      return rule;
    default:
      return rule;
  }
}

/** What a pattern says of the names of the server must not be said of the fence. */
function refuseMatching(source: string): void {
  try {
    const pattern = compilePattern(source);
    if (!FENCE_NAMES.some((name) => pattern.test(name))) return;
  } catch (cause) {
    throw new Unfenceable(source, { cause });
  }
  throw new Unfenceable(source);
}

/** @throws Unfenceable for what could only be understood by evaluating it */
function refuseIntricate(schema: JsonObject): void {
  const text = JSON.stringify(schema);
  const ids = text.split('"$id":').length - 1;
  // A rule on what no other rule has looked at changes its meaning when a rule is dropped.
  const isConditional = text.includes('"unevaluatedProperties":') && text.includes('"if":');
  const letters = lettersOf(text);
  const isNamed = FENCE_NAMES.some((name) => letters.includes(lettersOf(name))) || namesIn(schema).some(readsAsOurs);
  if (PLACED.test(text) || ids > ('$id' in schema ? 1 : 0) || isConditional || isNamed) throw new Unfenceable();
}

/** Names of all members, and all words: those of properties, and what is required. */
function namesIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value as JsonObject).flatMap(namesIn)];
}

function referencesIn(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = ownValue(value, '$ref');
  const members: readonly Json[] = Object.values(value);
  return [...(typeof own === 'string' ? [own] : []), ...members.flatMap(referencesIn)];
}

/** Of a pointer in a URI fragment (RFC 6901). */
function toName(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch (cause) {
    throw new Unfenceable(segment, { cause });
  }
}

function pick(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)));
}

function omit(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}

function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function toObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
