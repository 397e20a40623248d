import type { ErrorCode } from '../error-codes.ts';
import { cutWords } from '../protocol/text.ts';

/** A tool that is not offered, and why. Name and reason are a server's own words where the tool is: to be escaped when shown. */
export interface RefusedTool {
  /** At most 200 characters. */
  readonly name: string;
  readonly source: string;
  readonly code: ErrorCode;
  /** For the operator, at most 500 characters. */
  readonly reason: string;
}

/** A server that thinks of new names for ever must not fill the memory. */
const MOST_REFUSED = 1_000;

/** Cut to what is kept of it. */
export function toRefusedTool({ name, reason, ...rest }: RefusedTool): RefusedTool {
  return Object.freeze({ ...rest, name: cutWords(String(name), 200), reason: cutWords(reason, 500) });
}

/** By name, the last refusal of each. */
export class RefusedTools {
  readonly #byName = new Map<string, RefusedTool>();

  add(refused: RefusedTool): void {
    if (this.#byName.size < MOST_REFUSED || this.#byName.has(refused.name)) this.#byName.set(refused.name, refused);
  }

  forget(name: string): void {
    this.#byName.delete(name);
  }

  list(): readonly RefusedTool[] {
    return [...this.#byName.values()];
  }
}
