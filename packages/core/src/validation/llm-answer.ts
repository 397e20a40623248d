import { ownValue } from '../json.ts';

/** One piece of a model's answer, whichever API it came over. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  /** A call that devs would make: never one that the model's own server makes. */
  | { readonly kind: 'call'; readonly where: string; readonly id: unknown; readonly name: unknown; readonly input: unknown; readonly isText: boolean }
  /** A block of another type: kept, never executed. */
  | { readonly kind: 'other'; readonly where: string; readonly type: string; readonly block: unknown }
  /** What no answer may hold. */
  | { readonly kind: 'bad'; readonly where: string; readonly problem: string };

export interface Answer {
  readonly parts: readonly AnswerPart[];
  /** In the words of the Messages API; a reason that devs does not know as it came, shortened. */
  readonly stopReason: string | null;
}

/** A real answer has some dozens. */
export const MAX_PARTS = 1_000;
const MAX_WORD_CHARACTERS = 64;

/** The answer as a whole is none: the message says why, and what would be one. */
export class NoAnswer extends Error {}

/**
 * Reads an answer of the Messages API (`content`), of Chat Completions (`choices`) or of the Responses API
 * (`output`), by own keys alone: a polluted prototype must not answer for the model. Each key is read once.
 * Throws `NoAnswer`, or what a getter or a proxy threw.
 */
export function readAnswer(response: unknown): Answer {
  if (typeof response === 'string') throw new NoAnswer('Invalid response format: it is text; parse the JSON of the API first.');
  if (typeof response !== 'object' || response === null) throw new NoAnswer('Invalid response format: it must be an object.');
  if (Object.hasOwn(response, 'choices')) return readChoices(response);
  if (Object.hasOwn(response, 'output')) return readOutput(response);
  const content = ownValue(response, 'content');
  if (!Array.isArray(content)) throw new NoAnswer('Missing content array: an answer has `content`, a list of blocks.');
  return { parts: readEach(content, 'content', readBlock), stopReason: toWord(ownValue(response, 'stop_reason')) };
}

function readBlock(block: unknown, where: string): AnswerPart {
  const type = ownValue(block, 'type');
  if (type === 'text') return toText(ownValue(block, 'text'), `${where}.text`);
  if (type === 'tool_use') {
    return { kind: 'call', where, id: ownValue(block, 'id'), name: ownValue(block, 'name'), input: ownValue(block, 'input'), isText: false };
  }
  return toOther(type, block, where);
}

const CHAT_REASONS = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
]);

function readChoices(response: object): Answer {
  const [choice, ...more] = toList(ownValue(response, 'choices'), 'choices');
  if (more.length > 0) throw new NoAnswer('There is more than one of `choices`: ask for one answer at a time.');
  const message = ownValue(choice, 'message');
  if (typeof message !== 'object' || message === null) throw new NoAnswer('Missing message: `choices[0].message` must be an object.');
  const calls = ownValue(message, 'tool_calls') ?? [];
  const where = 'choices[0].message';
  const reason = toWord(ownValue(choice, 'finish_reason'));
  return {
    parts: [
      ...readChatContent(ownValue(message, 'content'), `${where}.content`),
      ...readEach(toList(calls, `${where}.tool_calls`), `${where}.tool_calls`, readToolCall),
    ],
    stopReason: CHAT_REASONS.get(reason ?? '') ?? reason,
  };
}

function readChatContent(content: unknown, where: string): readonly AnswerPart[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? readEach(content, where, readBlock) : [toText(content, where)];
}

function readToolCall(call: unknown, where: string): AnswerPart {
  const type = ownValue(call, 'type') ?? 'function';
  if (type !== 'function') return toOther(type, call, where);
  const asked = ownValue(call, 'function');
  return { kind: 'call', where, id: ownValue(call, 'id'), name: ownValue(asked, 'name'), input: ownValue(asked, 'arguments'), isText: true };
}

function readOutput(response: object): Answer {
  const items = toList(ownValue(response, 'output'), 'output');
  const cause = toWord(ownValue(ownValue(response, 'incomplete_details'), 'reason'));
  const isCut = cause === 'max_output_tokens';
  const parts: AnswerPart[] = [];
  for (const [index, item] of items.entries()) parts.push(...readItem(item, `output[${index}]`));
  if (parts.length > MAX_PARTS) throw new NoAnswer(`\`output\` holds more than ${MAX_PARTS} parts: ask for fewer calls at once.`);
  const hasCall = parts.some(({ kind }) => kind === 'call');
  const whole = hasCall ? 'tool_use' : 'end_turn';
  return { parts, stopReason: isCut ? 'max_tokens' : (cause ?? whole) };
}

function readItem(item: unknown, where: string): readonly AnswerPart[] {
  const type = ownValue(item, 'type');
  if (type === 'message') return readEach(toList(ownValue(item, 'content'), `${where}.content`), `${where}.content`, readOutputText);
  if (type !== 'function_call') return [toOther(type, item, where)];
  return [{ kind: 'call', where, id: ownValue(item, 'call_id'), name: ownValue(item, 'name'), input: ownValue(item, 'arguments'), isText: true }];
}

function readOutputText(block: unknown, where: string): AnswerPart {
  const type = ownValue(block, 'type');
  return type === 'output_text' ? toText(ownValue(block, 'text'), `${where}.text`) : toOther(type, block, where);
}

function toText(text: unknown, where: string): AnswerPart {
  return typeof text === 'string' ? { kind: 'text', text } : { kind: 'bad', where, problem: `must be a string, not ${describeType(text)}` };
}

function toOther(type: unknown, block: unknown, where: string): AnswerPart {
  if (typeof type !== 'string') return { kind: 'bad', where, problem: 'must be an object with a `type`' };
  return { kind: 'other', where, type: type.slice(0, MAX_WORD_CHARACTERS).toWellFormed(), block };
}

/** By index: the list may have an iterator of its own. */
function readEach(list: readonly unknown[], where: string, read: (item: unknown, where: string) => AnswerPart): AnswerPart[] {
  return toList(list, where).map((item, index) => read(item, `${where}[${index}]`));
}

function toList(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new NoAnswer(`\`${where}\` must be a list.`);
  const { length } = value;
  if (!(length <= MAX_PARTS)) throw new NoAnswer(`\`${where}\` has more than ${MAX_PARTS} entries: ask for fewer calls at once.`);
  return Array.from({ length }, (_, index): unknown => value[index]);
}

function toWord(reason: unknown): string | null {
  return typeof reason === 'string' ? reason.slice(0, MAX_WORD_CHARACTERS).toWellFormed() : null;
}

export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}
