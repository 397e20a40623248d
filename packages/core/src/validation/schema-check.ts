import { toPointer } from '../config/pointer.ts';
import type { Json, JsonObject } from '../json.ts';
import { coerce } from './coerce.ts';
import { isObject, type SchemaNode } from './json-schema/evaluation/node.ts';
import { type Finding, Meter, type PathKey, type PathMark, type Reporter, Run } from './json-schema/evaluation/run.ts';
import { showText } from './json-schema/evaluation/words.ts';
import { excerptSchema } from './schema-excerpt.ts';
import { type Problem, typeName } from './validation-error.ts';

/** More do not help a model, and a list of a million bad items must not become a million objects. */
const MOST_PROBLEMS = 20;

/** The first problems of one value, each said once. */
export class ProblemList implements Reporter {
  /** The arguments that the problems are about, for the part of the schema that repairs them. */
  readonly names = new Set<string>();
  readonly #problems = new Map<string, Problem>();

  get problems(): readonly Problem[] {
    return [...this.#problems.values()].slice(0, MOST_PROBLEMS);
  }

  /** One more than is told was found: there are others. */
  get isFull(): boolean {
    return this.#problems.size > MOST_PROBLEMS;
  }

  add(path: readonly PathKey[], { problem, expected, hint, name }: Finding, value: Json): void {
    const pointer = showText(toPointer(path.map(String)));
    const place = `${pointer} ${problem}`;
    if (this.#problems.has(place)) return;
    const meant = hint?.();
    const found: Problem = { code: 'VALIDATION_SCHEMA_ERROR', pointer, problem, expected, received: typeName(value), ...(meant !== undefined && { hint: meant.text }) };
    this.#problems.set(place, found);
    const concerned = path[0] ?? name ?? meant?.name;
    if (typeof concerned === 'string') this.names.add(concerned);
  }
}

/** What is wrong with a value, and what helps to put it right. */
export interface ValueRefusal {
  /** At least one, at most 20. */
  readonly problems: readonly Problem[];
  /** There are more than those. */
  readonly isCut: boolean;
  /** The part of the schema that the problems are about, at most 4,000 characters of JSON. */
  readonly schema?: JsonObject;
}

export type Verdict =
  | { readonly value: Json; readonly received?: Json; readonly paths: readonly PathMark[] }
  | { readonly refusal: ValueRefusal };

export interface SchemaCheckOptions {
  readonly root: SchemaNode;
  readonly schema: Json;
  readonly isLenient: boolean;
}

/** Judges plain values. Never throws. */
export interface Judge {
  judge(value: Json, meter?: Meter): Verdict;
}

/** Judges by one compiled schema. */
export class SchemaCheck implements Judge {
  readonly #root: SchemaNode;
  readonly #schema: Json;
  readonly #isLenient: boolean;

  constructor({ root, schema, isLenient }: SchemaCheckOptions) {
    this.#root = root;
    this.#schema = schema;
    this.#isLenient = isLenient;
  }

  /** `meter`: what is left to spend on this value and on others. Default: as much as one value may cost. */
  judge(value: Json, meter = new Meter()): Verdict {
    const run = new Run(meter);
    try {
      if (this.#root.evaluate(value, run, undefined)) return { value, paths: run.pathMarks };
      return (this.#isLenient ? this.#judgeLeniently(value, meter) : undefined) ?? { refusal: this.#explain(value, meter) };
    } catch {
      // Out of steps, or out of stack: what could not be checked is not taken.
      return { refusal: { problems: [tooLarge(value)], isCut: false } };
    }
  }

  #judgeLeniently(received: Json, meter: Meter): Verdict | undefined {
    const coerced = coerce(this.#root, received, meter);
    return coerced === undefined ? undefined : { ...coerced, received };
  }

  /** Only for what did not fit: a second look, which takes down what it finds. */
  #explain(value: Json, meter: Meter): ValueRefusal {
    const list = new ProblemList();
    const isWhole = tryTo(() => this.#root.evaluate(value, new Run(meter, list), undefined));
    const { problems, names } = list;
    const schema = isObject(this.#schema) ? excerptSchema(this.#schema, { names: [...names], most: 4_000 }) : undefined;
    const isCut = list.isFull || !isWhole;
    return { problems: problems.length === 0 ? [unfit(value)] : problems, isCut, ...(schema !== undefined && { schema }) };
  }
}

/** False when it took too long: what was found until then is told all the same. */
function tryTo(look: () => boolean): boolean {
  try {
    look();
    return true;
  } catch {
    return false;
  }
}

function tooLarge(value: Json): Problem {
  const problem = 'cannot be checked: it is too large for the schema, or the schema goes round for ever';
  return { code: 'VALIDATION_TOO_LARGE', pointer: '', problem, expected: 'a smaller value', received: typeName(value) };
}

function unfit(value: Json): Problem {
  return { code: 'VALIDATION_SCHEMA_ERROR', pointer: '', problem: 'does not fit the schema', expected: 'what the schema describes', received: typeName(value) };
}
