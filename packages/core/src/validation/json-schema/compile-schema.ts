import { toPointer } from '../../config/pointer.ts';
import type { Json, JsonObject } from '../../json.ts';
import { type Dialect, dialectOf } from './dialects.ts';
import { MeteredPatterns, type PatternSizes } from './evaluation/metered-patterns.ts';
import { type CompilationScope, type Evaluate, isObject, keywordOf, SchemaNode } from './evaluation/node.ts';
import type { Resource } from './evaluation/resource.ts';
import type { PathKey } from './evaluation/run.ts';
import { quoteName, showText } from './evaluation/words.ts';
import { PATH_FORMAT } from './keywords/formats.ts';
import { Resources, type Target } from './resources.ts';
import { SchemaProblem } from './schema-problem.ts';

/** Keywords whose schemas look at the very value that the schema around them looks at. */
const IN_PLACE = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies']);

/** Which schema asks which about one and the same value: a round of them would never end. */
class InPlaceGraph {
  readonly #edges = new Map<SchemaNode, Set<SchemaNode>>();

  add(from: SchemaNode, keyword: string, to: SchemaNode): void {
    if (!IN_PLACE.has(keyword)) return;
    const known = this.#edges.get(from) ?? new Set();
    this.#edges.set(from, known.add(to));
  }

  /** Takes away, again and again, what asks nobody who is left: what remains goes round. */
  get isEndless(): boolean {
    const waiting = new Map([...this.#edges].map(([node, asked]) => [node, [...asked].filter((other) => this.#edges.has(other)).length]));
    const askers = this.#askers();
    const done = [...waiting].filter(([, count]) => count === 0).map(([node]) => node);
    for (let node = done.pop(); node !== undefined; node = done.pop()) {
      waiting.delete(node);
      for (const asker of askers.get(node) ?? []) {
        const left = (waiting.get(asker) ?? 0) - 1;
        waiting.set(asker, left);
        if (left === 0) done.push(asker);
      }
    }
    return waiting.size > 0;
  }

  #askers(): ReadonlyMap<SchemaNode, readonly SchemaNode[]> {
    const askers = new Map<SchemaNode, SchemaNode[]>();
    for (const [from, asked] of this.#edges) {
      for (const to of asked) askers.set(to, [...(askers.get(to) ?? []), from]);
    }
    return askers;
  }
}

/** A schema document, compiled. */
export interface CompiledDocument {
  readonly root: SchemaNode;
}

export interface DocumentOptions {
  /** Unknown keywords and formats, and names that are required and nowhere described, are refused. */
  readonly isStrict: boolean;
  readonly patternSizes: PatternSizes;
}

/**
 * Compiles plain, bounded JSON into functions. No code is written, so none can be smuggled in; nothing
 * is fetched. Throws `SchemaProblem` with the place.
 */
export function compileSchema(schema: Json, options: DocumentOptions): CompiledDocument {
  const dialect = dialectOf(schema);
  if (dialect === undefined) throw new SchemaProblem('/$schema', 'is not one of draft-07, 2019-09 and 2020-12');
  return new SchemaDocument(schema, dialect, options).compile();
}

interface Pending {
  readonly node: SchemaNode;
  readonly schema: JsonObject;
  readonly resource: Resource;
  readonly at: readonly PathKey[];
}

class SchemaDocument {
  readonly #schema: Json;
  readonly #dialect: Dialect;
  readonly #isStrict: boolean;
  readonly #resources: Resources;
  readonly #nodes = new Map<Json, SchemaNode>();
  /** Compiled one after the other, not one inside the other: references must not nest as deep as they are many. */
  readonly #pending: Pending[] = [];
  readonly #patterns: MeteredPatterns;
  readonly #inPlace = new InPlaceGraph();
  #hasPaths = false;

  constructor(schema: Json, dialect: Dialect, { isStrict, patternSizes }: DocumentOptions) {
    this.#schema = schema;
    this.#dialect = dialect;
    this.#isStrict = isStrict;
    this.#patterns = new MeteredPatterns(patternSizes);
    this.#resources = new Resources(schema, dialect);
  }

  compile(): CompiledDocument {
    const root = this.#nodeFor({ schema: this.#schema, resource: this.#resources.root }, []);
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) this.#define(next);
    if (this.#inPlace.isEndless) throw new SchemaProblem('', 'refers to itself without end');
    return { root };
  }

  #nodeFor({ schema, resource }: Target, at: readonly PathKey[]): SchemaNode {
    const known = typeof schema === 'object' ? this.#nodes.get(schema) : undefined;
    if (known !== undefined) return known;
    const node = new SchemaNode(resource);
    if (isObject(schema)) {
      this.#nodes.set(schema, node);
      this.#pending.push({ node, schema, resource, at });
    } else if (schema === false) node.define([refuseAll], { isMarking: false, isTyped: false });
    else if (schema !== true) throw new SchemaProblem(toPlace(at), 'must be a schema: an object, true or false');
    return node;
  }

  #define(pending: Pending): void {
    const { node, schema, at } = pending;
    this.#refuseUnknown(schema, at);
    const { refStandsAlone, keywords } = this.#dialect;
    const onlyRef = refStandsAlone && Object.hasOwn(schema, '$ref');
    if (onlyRef && keywordOf(schema, 'format') === PATH_FORMAT) {
      throw new SchemaProblem(toPlace([...at, 'format']), 'has no effect beside "$ref" in draft-07: a path would go unchecked');
    }
    const evaluators: Evaluate[] = [];
    for (const [keyword, compile] of keywords) {
      const value = keywordOf(schema, keyword);
      if (value === undefined || (onlyRef && keyword !== '$ref')) continue;
      const evaluate = compile({ keyword, value, schema, scope: this.#scopeOf(pending, keyword) });
      if (evaluate !== undefined) evaluators.push(evaluate);
    }
    const isMarking = ['unevaluatedProperties', 'unevaluatedItems'].some((keyword) => Object.hasOwn(schema, keyword));
    node.define(evaluators, { isMarking, isTyped: Object.hasOwn(schema, 'type') && !onlyRef });
  }

  #refuseUnknown(schema: JsonObject, at: readonly PathKey[]): void {
    if (Object.hasOwn(schema, '$schema') && at.length > 0 && dialectOf(schema)?.name !== this.#dialect.name) {
      throw new SchemaProblem(toPlace([...at, '$schema']), 'is another dialect than that of the whole schema');
    }
    if (!this.#isStrict) return;
    const unknown = Object.keys(schema).find((keyword) => !this.#dialect.keywords.has(keyword));
    if (unknown !== undefined) throw new SchemaProblem(toPlace(at), `has a keyword that is not known: ${quoteName(unknown)}`);
  }

  #scopeOf(asker: Pending, keyword: string): CompilationScope {
    const { resource, at } = asker;
    const here = [...at, keyword];
    const inner = (schema: Json, path: readonly PathKey[]) => this.#ask(asker, { schema, resource: this.#resources.ownerOf(schema) ?? resource }, path);
    const refuse = (problem: string, ...keys: readonly PathKey[]): never => {
      throw new SchemaProblem(toPlace([...here, ...keys]), problem);
    };
    const target = (reference: string) => this.#resources.locate(reference, resource) ?? refuse(`leads to nothing inside the schema: ${quoteName(reference)}`);
    return {
      isStrict: this.#isStrict,
      containsMarks: this.#dialect.containsMarks,
      looksEverywhere: () => this.#hasPaths,
      markPaths: () => {
        this.#hasPaths = true;
      },
      knows: (other) => this.#dialect.keywords.has(other),
      compile: (schema, ...keys) => inner(schema, [keyword, ...keys]),
      compilePattern: (source, ...keys) => this.#patterns.compile(source, (problem) => refuse(problem, ...keys)),
      compileBeside: (other, schema) => inner(schema, [other]),
      follow: (reference) => this.#ask(asker, target(reference), [keyword]),
      followDynamic: (reference) => this.#followDynamic(target(reference), here),
      followRecursive: () => this.#followRecursive(resource, here),
      refuse,
    };
  }

  #ask({ node, at }: Pending, target: Target, path: readonly PathKey[]): SchemaNode {
    const asked = this.#nodeFor(target, [...at, ...path]);
    this.#inPlace.add(node, String(path[0]), asked);
    return asked;
  }

  /** The outermost resource that was entered and has the same dynamic anchor, if the reference first leads to one. */
  #followDynamic(target: Target, at: readonly PathKey[]): (scopes: readonly Resource[]) => SchemaNode {
    const { anchor = '', resource, schema } = target;
    const fixed = this.#nodeFor(target, at);
    if (resource.dynamicAnchors.get(anchor) !== schema) return () => fixed;
    const nodes = this.#nodesOfAll(at, (candidate) => candidate.dynamicAnchors.get(anchor));
    return (scopes) => findOutermost(scopes, nodes) ?? fixed;
  }

  #followRecursive(resource: Resource, at: readonly PathKey[]): (scopes: readonly Resource[]) => SchemaNode {
    const fixed = this.#nodeFor({ schema: resource.root, resource }, at);
    if (!isRecursive(resource.root)) return () => fixed;
    const nodes = this.#nodesOfAll(at, ({ root }) => (isRecursive(root) ? root : undefined));
    return (scopes) => findOutermost(scopes, nodes) ?? fixed;
  }

  #nodesOfAll(at: readonly PathKey[], find: (resource: Resource) => Json | undefined): ReadonlyMap<Resource, SchemaNode> {
    const nodes = new Map<Resource, SchemaNode>();
    for (const resource of this.#resources.all()) {
      const schema = find(resource);
      if (schema !== undefined) nodes.set(resource, this.#nodeFor({ schema, resource }, at));
    }
    return nodes;
  }
}

function findOutermost(scopes: readonly Resource[], nodes: ReadonlyMap<Resource, SchemaNode>): SchemaNode | undefined {
  const found = scopes.find((scope) => nodes.has(scope));
  return found === undefined ? undefined : nodes.get(found);
}

function isRecursive(schema: Json): boolean {
  return isObject(schema) && keywordOf(schema, '$recursiveAnchor') === true;
}

const refuseAll: Evaluate = (value, run) => run.fail(value, () => ({ keyword: 'false schema', problem: 'must not be there', expected: 'nothing' }));

function toPlace(keys: readonly PathKey[]): string {
  return showText(toPointer(keys.map(String)));
}
