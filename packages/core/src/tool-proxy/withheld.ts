import { DevsError } from '../errors.ts';
import { isRecord } from '../json.ts';
import type { RawToolOutput } from '../protocol/tool-result.ts';

/**
 * Fail closed: whatever went wrong, what the tool gave back is kept back. What devs itself has done to the project is said all the
 * same: a command could plant a file, and hide with its output that devs has moved it.
 * @param own what one of devs's own tools gave back
 */
export function toWithheld(cause: unknown, own?: RawToolOutput): DevsError {
  const isSaid = DevsError.is(cause) && (cause.code === 'OUTPUT_WITHHELD' || cause.code === 'BINARY_CONTENT' || cause.code === 'MALFORMED_JSON');
  const error = isSaid ? cause : new DevsError('OUTPUT_WITHHELD', { cause });
  const effects = effectsOf(own);
  if (effects.length === 0) return error;
  const { code, suggestion } = error;
  return new DevsError(code, { sentence: [error.sentence, ...effects].join(' '), ...(suggestion !== undefined && { suggestion }), cause: error.cause });
}

function effectsOf(own: RawToolOutput | undefined): readonly string[] {
  try {
    const content: readonly unknown[] = isRecord(own) && Array.isArray(own['content']) ? own['content'] : [];
    return content.flatMap((block) => (isRecord(block) && block['type'] === 'notice' && block['tellsEffect'] === true ? [String(block['text'])] : []));
  } catch {
    // A getter that threw while the output was cleaned throws again.
    return [];
  }
}
