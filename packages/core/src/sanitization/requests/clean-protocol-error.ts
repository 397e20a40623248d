import { ownValue, type JsonObject } from '../../json.ts';
import type { AnsweredError } from '../../protocol/tool-result.ts';
import { copyForeign } from '../../validation/foreign-json.ts';
import { isRefused } from '../../validation/plain-copy.ts';
import { withheld } from '../results/raw-result.ts';
import { cleanElicitation } from './clean-elicitation.ts';
import type { QuestionCleaning } from './question-cleaning.ts';

/** JSON-RPC 2.0: an error that says nothing of itself. */
const INTERNAL_ERROR = -32_603;
/** MCP 2025-11-25: its data are questions, which clients ask as such. */
const QUESTIONS_FIRST = -32_042;
const MOST_QUESTIONS = 16;

/**
 * The code of an error that a server has answered with, and its data as `_meta` of others is cleaned, as far as they are
 * plain. Its words are content, and cleaned as such. Questions in it are cleaned as questions: @throws DevsError OUTPUT_WITHHELD
 */
export function cleanProtocolError(raw: unknown, cleaning: QuestionCleaning): AnsweredError {
  const asked = ownValue(raw, 'code');
  const code = Number.isSafeInteger(asked) ? Number(asked) : INTERNAL_ERROR;
  const data = code === QUESTIONS_FIRST ? toQuestions(ownValue(raw, 'data'), cleaning) : cleaning.meta(ownValue(raw, 'data'));
  return { code, ...(Object.keys(data).length > 0 && { data }) };
}

function toQuestions(raw: unknown, cleaning: QuestionCleaning): JsonObject {
  const copied = copyForeign(ownValue(raw, 'elicitations'));
  if (isRefused(copied) || !Array.isArray(copied.value) || copied.value.length > MOST_QUESTIONS) throw withheld('questions that are none');
  return { elicitations: copied.value.map((question) => cleanElicitation(question, cleaning)) };
}
