import type { Json, JsonObject } from '../../../json.ts';
import { Marks } from './marks.ts';
import type { TextTest } from './metered-patterns.ts';
import type { Resource } from './resource.ts';
import type { PathKey, Run } from './run.ts';

/** Judges one value by one keyword. `marks` is there when an `unevaluated…` keyword around it asks. */
export type Evaluate = (value: Json, run: Run, marks: Marks | undefined) => boolean;

export interface NodeTraits {
  /** Has an `unevaluated…` keyword: it has to know what the others looked at. */
  readonly isMarking: boolean;
  /** The first keyword is `type`. */
  readonly isTyped: boolean;
}

/** A schema that was compiled. References lead to nodes, so a schema may refer to itself. */
export class SchemaNode {
  readonly #resource: Resource;
  #keywords: readonly Evaluate[] = [];
  #traits: NodeTraits = { isMarking: false, isTyped: false };

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  define(keywords: readonly Evaluate[], traits: NodeTraits): void {
    this.#keywords = keywords;
    this.#traits = traits;
  }

  evaluate(value: Json, run: Run, marks: Marks | undefined): boolean {
    const hasPushed = run.enter(this.#resource);
    const { isMarking } = this.#traits;
    const own = isMarking ? new Marks(run) : marks;
    const fits = this.#evaluateAll(value, run, own);
    if (fits && isMarking && own !== undefined) marks?.merge(own);
    run.leave(hasPushed);
    return fits;
  }

  #evaluateAll(value: Json, run: Run, marks: Marks | undefined): boolean {
    let fits = true;
    run.spend(this.#keywords.length);
    for (const evaluate of this.#keywords) {
      if (evaluate(value, run, marks)) continue;
      // Of a value of another type there is no more to say.
      if (!run.goesOn || (this.#traits.isTyped && evaluate === this.#keywords[0])) return false;
      fits = false;
    }
    return fits;
  }
}

/** A member of the value at hand, by its key. */
export function evaluateMember(node: SchemaNode, run: Run, member: readonly [PathKey, Json]): boolean {
  const [key, value] = member;
  run.path.push(key);
  const fits = node.evaluate(value, run, undefined);
  run.path.pop();
  return fits;
}

/** All of them, or those up to the first that does not fit when nobody asks for more. */
export function evaluateEach<Item>(items: Iterable<Item>, run: Run, evaluate: (item: Item) => boolean): boolean {
  let fits = true;
  for (const item of items) {
    if (evaluate(item)) continue;
    fits = false;
    if (!run.goesOn) return false;
  }
  return fits;
}

/** One keyword of one schema, as its compiler gets it. */
export interface KeywordSource {
  readonly keyword: string;
  /** What the keyword says. */
  readonly value: Json;
  /** The schema that it stands in. */
  readonly schema: JsonObject;
  readonly scope: CompilationScope;
}

/** What a keyword's compiler may ask for. */
export interface CompilationScope {
  /** Ours: held to strict rules on top. */
  readonly isStrict: boolean;
  /** False in 2019-09, where `contains` says nothing of the items that it saw. */
  readonly containsMarks: boolean;
  /** True when all branches have to be looked at, for a path may be marked in each. */
  looksEverywhere(): boolean;
  markPaths(): void;
  knows(keyword: string): boolean;
  /** The part of the keyword's value that the keys lead to. */
  compile(schema: Json, ...keys: readonly PathKey[]): SchemaNode;
  /** Refuses what is no pattern, and what cannot be run in linear time. */
  compilePattern(source: string, ...keys: readonly PathKey[]): TextTest;
  /** What another keyword of the same schema says. */
  compileBeside(keyword: string, schema: Json): SchemaNode;
  follow(reference: string): SchemaNode;
  /** The node in force for a dynamic reference, by the resources that were entered. */
  followDynamic(reference: string): (scopes: readonly Resource[]) => SchemaNode;
  followRecursive(): (scopes: readonly Resource[]) => SchemaNode;
  refuse(problem: string, ...keys: readonly PathKey[]): never;
}

/** Undefined: the keyword asserts nothing. Refuses what the dialect does not allow. */
export type KeywordCompiler = (source: KeywordSource) => Evaluate | undefined;

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a keyword of a schema says. By own keys alone: nobody's prototype is a part of a schema. */
export function keywordOf(schema: JsonObject, keyword: string): Json | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

/** `Array.isArray` does not narrow a readonly array. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
