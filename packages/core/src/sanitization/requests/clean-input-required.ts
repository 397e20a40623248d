import { Buffer } from 'node:buffer';
import { isRecord, ownValue, type JsonObject } from '../../json.ts';
import type { InputRequired, Question } from '../../protocol/tool-result.ts';
import { copyPlain, isRefused } from '../../validation/plain-copy.ts';
import { withheld } from '../results/raw-result.ts';
import { cleanElicitation } from './clean-elicitation.ts';
import { cleanSampling } from './clean-sampling.ts';
import { isCleanWord, type QuestionCleaning } from './question-cleaning.ts';

const MOST_QUESTIONS = 16;
const KEY = /^[A-Za-z0-9_.-]{1,128}$/;
const MOST_STATE_CHARACTERS = 65_536;
/** Base64url (RFC 4648, section 5): sealed by devs, so that there are no words of a server in it. */
const STATE = /^[A-Za-z0-9_-]*$/;

/**
 * What a server asks of the client before its call can go on, made anew of what devs knows of each question. Only the
 * whole of it is of use: what of it cannot be cleaned withholds all. Throws `OUTPUT_WITHHELD`, `TOOL_SCHEMA_REFUSED`.
 */
export function cleanInputRequired(raw: unknown, cleaning: QuestionCleaning): InputRequired {
  const copied = copyPlain(raw);
  if (isRefused(copied)) throw withheld(`a question that ${copied.refusal.problem}`);
  const requests: unknown = ownValue(copied.value, 'inputRequests') ?? {};
  if (!isRecord(requests)) throw withheld('questions that are no object');
  const keys = Object.keys(requests);
  const requestState = toState(ownValue(copied.value, 'requestState'));
  if (keys.length > MOST_QUESTIONS) throw withheld(`more than ${MOST_QUESTIONS} questions`);
  if (keys.length === 0 && requestState === undefined) throw withheld('neither a question nor a state');
  const inputRequests = Object.fromEntries(keys.map((key) => [toKey(key, cleaning), toQuestion(requests[key], cleaning)]));
  const bytes = Buffer.byteLength(JSON.stringify(inputRequests), 'utf8');
  if (bytes > cleaning.maxBytes) throw withheld('questions that are too large');
  return { inputRequests, ...(requestState !== undefined && { requestState }) };
}

/** What the client answers under it goes back to the server: another name would be none. */
function toKey(key: string, cleaning: QuestionCleaning): string {
  if (!KEY.test(key) || !isCleanWord(key, cleaning)) throw withheld('a question under a name that cannot be passed on');
  return key;
}

function toState(state: unknown): string | undefined {
  if (state === undefined) return undefined;
  if (typeof state !== 'string' || state.length > MOST_STATE_CHARACTERS || !STATE.test(state)) throw withheld('a state that nobody has sealed');
  return state;
}

function toQuestion(question: unknown, cleaning: QuestionCleaning): Question {
  const method = ownValue(question, 'method');
  const params = ownValue(question, 'params');
  switch (method) {
    case 'elicitation/create':
      return { method, params: cleanElicitation(params, cleaning) };
    case 'sampling/createMessage':
      return { method, params: cleanSampling(params, cleaning) };
    case 'roots/list':
      // It has none but `_meta`.
      return params === undefined ? { method } : { method, params: NO_PARAMS };
    default:
      throw withheld('a question of a kind that devs does not know');
  }
}

const NO_PARAMS: JsonObject = Object.freeze({});
