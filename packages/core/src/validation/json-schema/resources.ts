import { fromPointer, toPointer } from '../../config/pointer.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Dialect } from './dialects.ts';
import { metaSchemas } from './meta-schemas.ts';
import { isList, isObject, keywordOf } from './evaluation/node.ts';
import type { Resource } from './evaluation/resource.ts';
import { SchemaProblem } from './schema-problem.ts';
import { subschemasOf } from './subschemas.ts';

/** Where a reference leads. */
export interface Target {
  readonly schema: Json;
  readonly resource: Resource;
  /** The name after `#`, when it is one. */
  readonly anchor?: string;
}

/** The address of a schema that names none. Nothing is ever fetched. */
const NOWHERE = 'json-schema:///';
const DIALECTS_ADDRESS = /^https?:\/\/json-schema\.org\//;

/** The addresses and anchors of one schema document, and nothing else: no schema reaches another by `$id`. */
export class Resources {
  readonly root: Resource;
  readonly #dialect: Dialect;
  readonly #byAddress = new Map<string, Resource>();
  readonly #owners = new Map<Json, Resource>();

  constructor(schema: Json, dialect: Dialect) {
    this.#dialect = dialect;
    this.root = this.#visit(schema, this.#add(NOWHERE, schema), []);
  }

  /** Undefined for what no keyword calls a schema. */
  ownerOf(schema: Json): Resource | undefined {
    return this.#owners.get(schema);
  }

  all(): Iterable<Resource> {
    return this.#byAddress.values();
  }

  /** Undefined when it leads outside or to nothing. */
  locate(reference: string, from: Resource): Target | undefined {
    const [address, fragment] = splitAddress(reference);
    const resource = address === '' ? from : this.#find(address, from);
    if (resource === undefined) return undefined;
    if (fragment === '') return { schema: resource.root, resource };
    const name = decode(fragment);
    if (name === undefined) return undefined;
    if (name.startsWith('/')) return this.#walk(name, resource);
    const schema = resource.anchors.get(name);
    return schema === undefined ? undefined : { schema, resource: this.ownerOf(schema) ?? resource, anchor: name };
  }

  #find(address: string, from: Resource): Resource | undefined {
    const absolute = toAbsolute(address, from.base);
    if (absolute === undefined) return undefined;
    return this.#byAddress.get(absolute) ?? this.#addMetaSchemas(absolute);
  }

  /** The dialect's own schema may be referred to: a tool may take a schema as an argument. */
  #addMetaSchemas(absolute: string): Resource | undefined {
    const known = metaSchemas(this.#dialect.name);
    if (!known.has(absolute)) return undefined;
    for (const [address, schema] of known) {
      if (!this.#byAddress.has(address)) this.#visit(schema, this.#add(address, schema), []);
    }
    return this.#byAddress.get(absolute);
  }

  #walk(pointer: string, resource: Resource): Target | undefined {
    let schema: Json = resource.root;
    let owner = resource;
    for (const key of fromPointer(pointer)) {
      const inner: Json | undefined = memberOf(schema, key);
      if (inner === undefined) return undefined;
      schema = inner;
      owner = this.#owners.get(schema) ?? owner;
    }
    // A place that no keyword calls a schema: it becomes one by being referred to.
    if (isObject(schema) && !this.#owners.has(schema)) owner = this.#visit(schema, owner, [pointer]);
    return { schema, resource: owner };
  }

  #visit(schema: Json, outer: Resource, at: readonly string[]): Resource {
    if (!isObject(schema)) return outer;
    const resource = this.#nameSchema(schema, outer, at);
    this.#owners.set(schema, resource);
    for (const { keys, schema: inner } of subschemasOf(schema, this.#dialect)) this.#visit(inner, resource, [...at, ...keys]);
    return resource;
  }

  #nameSchema(schema: JsonObject, outer: Resource, at: readonly string[]): Resource {
    const [$id, $ref, $anchor, $dynamicAnchor] = ['$id', '$ref', '$anchor', '$dynamicAnchor'].map((keyword) => keywordOf(schema, keyword));
    // In draft 07 nothing counts that stands beside a reference.
    if (this.#dialect.refStandsAlone && $ref !== undefined) return outer;
    const resource = typeof $id === 'string' ? this.#nameResource($id, { schema, outer, at }) : outer;
    if (typeof $anchor === 'string') nameAnchor(resource.anchors, $anchor, { schema, at });
    if (typeof $dynamicAnchor === 'string') {
      nameAnchor(resource.anchors, $dynamicAnchor, { schema, at });
      resource.dynamicAnchors.set($dynamicAnchor, schema);
    }
    return resource;
  }

  #nameResource($id: string, { schema, outer, at }: Named & { readonly outer: Resource }): Resource {
    const [address, fragment] = splitAddress($id);
    const absolute = address === '' ? outer.base : toAbsolute(address, outer.base);
    if (absolute === undefined) throw new SchemaProblem(place(at, '$id'), 'is no address');
    // Draft 07 names a place by an `$id` that is only a fragment.
    if (fragment !== '' && !this.#dialect.idNamesAnchors) throw new SchemaProblem(place(at, '$id'), 'must not have a fragment');
    const resource = address === '' ? outer : this.#define(absolute, schema, at);
    if (fragment !== '') nameAnchor(resource.anchors, fragment, { schema, at });
    return resource;
  }

  #define(address: string, root: Json, at: readonly string[]): Resource {
    const known = this.#byAddress.get(address);
    if (known?.root === root) return known;
    // Else a part could stand in for a dialect, or for another part that was looked at.
    if (known !== undefined || DIALECTS_ADDRESS.test(address)) throw new SchemaProblem(place(at, '$id'), 'is an address that is taken');
    return this.#add(address, root);
  }

  #add(base: string, root: Json): Resource {
    const resource: Resource = { base, root, anchors: new Map(), dynamicAnchors: new Map() };
    this.#byAddress.set(base, resource);
    return resource;
  }
}

interface Named {
  readonly schema: JsonObject;
  readonly at: readonly string[];
}

function nameAnchor(anchors: Map<string, JsonObject>, name: string, { schema, at }: Named): void {
  const known = anchors.get(name);
  if (known !== undefined && known !== schema) throw new SchemaProblem(place(at), 'has a name that another part has');
  anchors.set(name, schema);
}

function place(at: readonly string[], ...keys: readonly string[]): string {
  return toPointer([...at, ...keys]);
}

/** A reference before and after its `#`. */
function splitAddress(reference: string): readonly [string, string] {
  const at = reference.indexOf('#');
  return at < 0 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
}

function toAbsolute(address: string, base: string): string | undefined {
  return URL.canParse(address, base) ? new URL(address, base).href : undefined;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function memberOf(value: Json, key: string): Json | undefined {
  if (isObject(value)) return keywordOf(value, key);
  return isList(value) && Object.hasOwn(value, key) ? value[Number(key)] : undefined;
}
