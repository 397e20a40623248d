import { DevsError } from '../../errors.ts';
import { isRecord, type Json, type JsonObject } from '../../json.ts';
import { cleanJson, type CleanString } from './clean-json.ts';

/** Members of a schema that a person or a model reads, and that say nothing of what is valid, or show a value. */
const READ_MEMBERS: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'default', 'examples', 'enum', 'enumNames', 'const']);

/**
 * A schema of somebody else's with marks in what is read of it. Throws `TOOL_SCHEMA_REFUSED` where a mark would have to stand in a
 * name or a rule: what it asks for could be given by nobody then.
 */
export function cleanSchema(schema: JsonObject, clean: CleanString): JsonObject {
  const cleaned = cleanStrings(schema, (text, key) => {
    const shown = clean(text, key);
    if (shown !== text && (key === undefined || !READ_MEMBERS.has(key))) throw schemaRefused();
    return shown;
  });
  if (!isJsonObject(cleaned)) throw schemaRefused();
  return cleaned;
}

function cleanStrings(schema: JsonObject, clean: CleanString): Json {
  try {
    return cleanJson(schema, clean);
  } catch (cause) {
    // Too deep to be shown, or one of the refusals from above.
    throw DevsError.is(cause) && cause.code === 'TOOL_SCHEMA_REFUSED' ? cause : schemaRefused(cause);
  }
}

function schemaRefused(cause?: unknown): DevsError {
  const sentence = 'The definition cannot be used: its schema is too deep, or its names or rules hold what devs would mask.';
  return new DevsError('TOOL_SCHEMA_REFUSED', { sentence, cause });
}

function isJsonObject(value: Json): value is JsonObject {
  return isRecord(value);
}
