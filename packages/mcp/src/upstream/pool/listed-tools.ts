import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { countValues, describeCause, DevsError, isRecord, parseForeignDefinition, type JsonObject, type ToolDefinition } from '@devs/core';

/** A tool as its server lists it: what can be read of it, or why it cannot. */
export type ListedTool =
  | { readonly name: string; readonly definition: ToolDefinition }
  | { readonly name: string | undefined; readonly refusal: string };

const MOST_PAGES = 100;
const MOST_TOOLS = 1_000;
/** Of all tools of one server together: compiling takes about a tenth of a millisecond a value. */
const MOST_VALUES = 50_000;
const MOST_BYTES = 4_194_304;

/** The pages of one list, taken in one by one: what is too large is let go before the next page comes. */
export class ListedTools {
  readonly #tools: ListedTool[] = [];
  #values = 0;
  #bytes = 0;

  get tools(): readonly ListedTool[] {
    return this.#tools;
  }

  get isFull(): boolean {
    return this.#tools.length >= MOST_TOOLS;
  }

  /** Gives way between two tools: a list of many must not hold up calls, or the stop. */
  async add(page: readonly unknown[]): Promise<void> {
    for (const raw of page.slice(0, MOST_TOOLS - this.#tools.length)) {
      this.#tools.push(this.#take(raw));
      await setImmediate();
    }
  }

  #take(raw: unknown): ListedTool {
    try {
      const definition = parseForeignDefinition(raw);
      this.#spend(definition);
      return { name: definition.name, definition };
    } catch (cause) {
      const name = isRecord(raw) ? raw['name'] : undefined;
      return { name: typeof name === 'string' ? name.slice(0, 200) : undefined, refusal: describeCause(cause).slice(0, 500) };
    }
  }

  #spend({ ...members }: ToolDefinition): void {
    const values = countValues(members);
    const bytes = Buffer.byteLength(JSON.stringify(members), 'utf8');
    if (this.#values + values > MOST_VALUES || this.#bytes + bytes > MOST_BYTES) {
      throw new DevsError('TOOL_SCHEMA_REFUSED', { sentence: 'The tools of this server are too large together.' });
    }
    this.#values += values;
    this.#bytes += bytes;
  }
}

/** The tools of all pages, each as far as it can be used. Rejects when a page is none. @param ask gives the result of one request */
export async function fetchTools(ask: (method: string, params: JsonObject) => Promise<unknown>): Promise<readonly ListedTool[]> {
  const listed = new ListedTools();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && !listed.isFull; page += 1) {
    const answer = await ask('tools/list', cursor === undefined ? {} : { cursor });
    const { tools, nextCursor } = isRecord(answer) ? answer : {};
    if (!Array.isArray(tools)) throw new DevsError('UPSTREAM_ANSWER_REFUSED', { sentence: 'The server gave no list of its tools.' });
    await listed.add(tools);
    if (typeof nextCursor !== 'string') break;
    cursor = nextCursor;
  }
  return listed.tools;
}
