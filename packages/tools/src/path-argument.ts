import type { JsonObject } from '@devs/core';

const PLACE = 'relative to the project folder, or absolute inside it.';

/**
 * The schema of an argument that names a place in the project. All tools have it from here: without the
 * format the gate would not know that it is a path.
 */
const PATH = { type: 'string', format: 'devs-path', minLength: 1, maxLength: 4_096 } as const;

/** The path of a file, which has to be named. */
export const filePath: JsonObject = { ...PATH, description: `The file: ${PLACE}` };

/** The path of a place to look at, by default the project folder. @param what it may be, with a capital */
export function placePath(what: string, more = ''): JsonObject {
  return { ...PATH, default: '.', description: `${what}: ${PLACE} Default: the project folder.${more}` };
}
