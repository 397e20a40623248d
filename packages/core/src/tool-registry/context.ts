import { DevsError } from '../errors.ts';
import { isRecord } from '../json.ts';
import type { ToolExecutionContext } from './types.ts';

/** What a caller claims of itself. */
export type Claims = Omit<ToolExecutionContext, 'projectRoot'>;

const MAX_ID_CHARACTERS = 200;
/** No controls, no line or paragraph separators, no characters that reorder or hide text in a log. */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const KEYS = new Set(['agentId', 'turnIndex', 'phaseId', 'epicId', 'taskId']);

/** In force where the caller claims nothing. */
export const ANONYMOUS: Claims = Object.freeze({ agentId: 'anonymous', turnIndex: 0, phaseId: '', epicId: '' });

/**
 * Claims from outside, completed with the safe defaults. Throws `CONTEXT_REFUSED` for a hostile value.
 * @example
 * ```ts
 * import { parseClaims } from '@devs/core';
 * console.log(parseClaims({ agentId: 'reviewer', turnIndex: 3 }).turnIndex); // 3
 * ```
 */
export function parseClaims(value: unknown): Claims {
  if (value === undefined) return ANONYMOUS;
  if (!isRecord(value)) throw refused('must be an object');
  const unknownKey = Object.keys(value).find((key) => !KEYS.has(key));
  if (unknownKey !== undefined) throw refused('has a key that is not known');
  return Object.freeze({
    agentId: idOf(value, 'agentId') || ANONYMOUS.agentId,
    turnIndex: turnIndexOf(value),
    phaseId: idOf(value, 'phaseId'),
    epicId: idOf(value, 'epicId'),
    ...(value['taskId'] !== undefined && { taskId: idOf(value, 'taskId') }),
  });
}

/** A context that code built, copied and held to the same rules. Throws `CONTEXT_REFUSED`. */
export function parseContext(context: unknown): ToolExecutionContext {
  if (!isRecord(context)) throw refused('must be an object');
  const { projectRoot, agentId, turnIndex, phaseId, epicId, taskId } = context;
  if (typeof projectRoot !== 'string') throw refused('projectRoot must be a string');
  return Object.freeze({ projectRoot, ...parseClaims({ agentId, turnIndex, phaseId, epicId, taskId }) });
}

function idOf(value: Record<string, unknown>, key: string): string {
  const id = value[key] ?? '';
  if (typeof id !== 'string') throw refused(`${key} must be a string`);
  if (id.length > MAX_ID_CHARACTERS) throw refused(`${key} is longer than ${MAX_ID_CHARACTERS} characters`);
  if (FORBIDDEN.test(id)) throw refused(`${key} has characters that an id cannot have`);
  return id;
}

function turnIndexOf(value: Record<string, unknown>): number {
  const turnIndex = value['turnIndex'] ?? 0;
  const isTurn = typeof turnIndex === 'number' && Number.isSafeInteger(turnIndex) && turnIndex >= 0;
  if (!isTurn) throw refused('turnIndex must be a whole number, 0 or more');
  return turnIndex;
}

function refused(problem: string): DevsError {
  return new DevsError('CONTEXT_REFUSED', { sentence: `The context of the call ${problem}.` });
}
