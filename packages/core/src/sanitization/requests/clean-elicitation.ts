import { ownValue, type JsonObject } from '../../json.ts';
import { toCleanUri } from '../results/links.ts';
import { withheld } from '../results/raw-result.ts';
import { cleanForm } from './clean-form.ts';
import { attributeLines } from './dialog-text.ts';
import { isCleanWord, toIdentifier, type QuestionCleaning } from './question-cleaning.ts';

const MAX_MESSAGE_CHARACTERS = 4_000;

/**
 * `elicitation/create`: what a person is asked. Every line of it names its server: without that, "enter your password
 * again" would seem to be the client's or devs's own question. Members that devs does not know are left out.
 */
export function cleanElicitation(params: unknown, cleaning: QuestionCleaning): JsonObject {
  const message = toMessage(ownValue(params, 'message'), cleaning);
  const mode = ownValue(params, 'mode');
  if (mode === 'url') return { mode, message, url: toUrl(ownValue(params, 'url'), cleaning), ...toId(ownValue(params, 'elicitationId'), cleaning) };
  if (mode !== undefined && mode !== 'form') throw withheld('a question in a way that devs does not know');
  return { ...(mode !== undefined && { mode }), message, requestedSchema: cleanForm(ownValue(params, 'requestedSchema'), cleaning) };
}

function toMessage(text: unknown, cleaning: QuestionCleaning): string {
  if (typeof text !== 'string') throw withheld('a question without words');
  return attributeLines(cleaning.message(text, MAX_MESSAGE_CHARACTERS), cleaning.source);
}

/** A page for a browser: a client that opens a file, or starts a program by its scheme, is asked to by nobody. */
function toUrl(value: unknown, cleaning: QuestionCleaning): string {
  const url = toCleanUri(value, (text) => isCleanWord(text, cleaning));
  if (url === undefined || !/^https?:/.test(url)) throw withheld('a question with an address that cannot be passed on');
  return url;
}

function toId(id: unknown, cleaning: QuestionCleaning): { readonly elicitationId?: string } {
  return id === undefined ? {} : { elicitationId: toIdentifier(id, cleaning) };
}
