import { toPointer } from '../config/pointer.ts';
import type { Json } from '../json.ts';
import type { Finding, PathKey, Reporter } from './json-schema/evaluation/run.ts';
import { showText } from './json-schema/evaluation/words.ts';
import { typeName, type Problem } from './validation-error.ts';

/** More do not help a model, and a list of a million bad items must not become a million objects. */
export const MOST_PROBLEMS = 20;

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
