/**
 * As clients show a name that MCP allows and models do not: Claude Code makes `_` of `.`, so `notes._find` is `notes__find` there.
 * @example
 * ```ts
 * import { toClientName } from '@devs/core';
 * console.log(toClientName('notes._find')); // notes__find
 * ```
 */
export function toClientName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Equal for two names, or namespaces, that may be taken for each other in any client: `FILES` is there to be mistaken for `files`. */
export function toNameKey(name: string): string {
  return toClientName(name).toLowerCase();
}
