import type { SchemaNode } from './evaluation/node.ts';

/** Keywords whose schemas look at the very value that the schema around them looks at. */
const IN_PLACE = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies']);

/** Which schema asks which about one and the same value: a round of them would never end. */
export class InPlaceGraph {
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
