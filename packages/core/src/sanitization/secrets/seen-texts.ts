/** Units of the longest text that is remembered, with the name of its tool. */
const LONGEST = 256;
const MOST_TEXTS = 1_000;

/**
 * Short texts in which no secret was found: the names of agents, tasks and arguments are written down with every
 * call, and to look through them again costs more than all else that is done with them.
 */
export class SeenTexts {
  readonly #clean = new Set<string>();

  /** @param toolName an allow-list may name a tool */
  isClean(text: string, toolName: string): boolean {
    return text.length <= LONGEST && this.#clean.has(keyOf(text, toolName));
  }

  noteClean(text: string, toolName: string): void {
    if (text.length + toolName.length > LONGEST) return;
    if (this.#clean.size >= MOST_TEXTS) this.#clean.clear();
    this.#clean.add(keyOf(text, toolName));
  }
}

/** With the length of the name: both are a caller's words, and no two pairs may make one key. */
function keyOf(text: string, toolName: string): string {
  return `${String(toolName.length)} ${toolName} ${text}`;
}
