import { ownValue } from '../json.ts';

/** One piece of a model's answer, whichever API it came over. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  /** Why the model does not want to answer, in its words. */
  | { readonly kind: 'refusal'; readonly text: string }
  /** A call that devs would make: never one that the model's own server makes. */
  | { readonly kind: 'call'; readonly where: string; readonly id: unknown; readonly name: unknown; readonly input: unknown; readonly isText: boolean }
  /** A call that is not finished, or stands in an answer that is not: whatever can be read of it, it must not run. */
  | { readonly kind: 'cut'; readonly where: string; readonly id: unknown; readonly name: unknown }
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
  const reason = ownValue(response, 'stop_reason');
  const stopReason = toWord(reason);
  return finish(readEach(content, 'content', readBlock), { stopReason, calls: callsAfter(reason, stopReason) });
}

interface AnswerEnd {
  readonly stopReason: string | null;
  /** Which calls are finished. */
  readonly calls: 'all' | 'all but the last part' | 'none';
}

/** The model had said all that it wanted. */
const WHOLE_ENDS = new Set(['end_turn', 'stop_sequence', 'tool_use']);
/** In the middle of the last part; what stands before it was finished. */
const CUTTING_ENDS = new Set(['max_tokens', 'model_context_window_exceeded']);

/**
 * No reason at all is a caller's who hands over blocks alone. One that is no text is that of an answer under way, and
 * after a refusal, a pause or a failure that devs does not know, nobody can say what the model still wanted.
 */
function callsAfter(reason: unknown, stopReason: string | null): AnswerEnd['calls'] {
  if (reason === undefined || WHOLE_ENDS.has(stopReason ?? '')) return 'all';
  return CUTTING_ENDS.has(stopReason ?? '') ? 'all but the last part' : 'none';
}

/** Takes away the calls that must not run because of how the answer ended. */
function finish(parts: readonly AnswerPart[], { stopReason, calls }: AnswerEnd): Answer {
  if (parts.some(({ kind }) => kind === 'refusal')) return { parts: parts.map(toCut), stopReason: 'refusal' };
  // An empty text behind a call does not say that the call came to its end.
  const last = parts.findLastIndex((part) => part.kind !== 'text' || part.text.trim() !== '');
  const isFinished = (index: number) => calls === 'all' || (calls === 'all but the last part' && index !== last);
  return { parts: parts.map((part, index) => (isFinished(index) ? part : toCut(part))), stopReason };
}

function toCut(part: AnswerPart): AnswerPart {
  return part.kind === 'call' ? { kind: 'cut', where: part.where, id: part.id, name: part.name } : part;
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
  const reason = ownValue(choice, 'finish_reason');
  const word = toWord(reason);
  const stopReason = CHAT_REASONS.get(word ?? '') ?? word;
  const parts = [
    ...readChatContent(ownValue(message, 'content'), `${where}.content`),
    ...(isSaid(ownValue(message, 'refusal')) ? [readRefusal(message, where)] : []),
    ...(isSaid(ownValue(message, 'function_call')) ? [toOldCall(`${where}.function_call`)] : []),
    ...readEach(toList(calls, `${where}.tool_calls`), `${where}.tool_calls`, readToolCall),
  ];
  return finish(parts, { stopReason, calls: callsAfter(reason, stopReason) });
}

/** Some servers write each key of a message, and leave empty what there is not. */
function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** Dropped without a word, it would leave an answer that asks for a tool and looks as if it asked for none. */
function toOldCall(where: string): AnswerPart {
  return { kind: 'bad', where, problem: 'is a call without an id, as older models make them, and is not run; use `tool_calls`' };
}

function readRefusal(holder: unknown, where: string): AnswerPart {
  const text = ownValue(holder, 'refusal');
  // As an error of one part alone, it would let the calls beside it run.
  if (typeof text !== 'string') throw new NoAnswer(`\`${where}.refusal\` must be a string, not ${describeType(text)}.`);
  return { kind: 'refusal', text };
}

function readChatContent(content: unknown, where: string): readonly AnswerPart[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? readEach(content, where, readChatBlock) : [toText(content, where)];
}

function readChatBlock(block: unknown, where: string): AnswerPart {
  return ownValue(block, 'type') === 'refusal' ? readRefusal(block, where) : readBlock(block, where);
}

function readToolCall(call: unknown, where: string): AnswerPart {
  const type = ownValue(call, 'type') ?? 'function';
  if (type !== 'function') return toOther(type, call, where);
  const asked = ownValue(call, 'function');
  return { kind: 'call', where, id: ownValue(call, 'id'), name: ownValue(asked, 'name'), input: ownValue(asked, 'arguments'), isText: true };
}

function readOutput(response: object): Answer {
  const items = toList(ownValue(response, 'output'), 'output');
  const cause = readIncompleteness(response);
  const parts: AnswerPart[] = [];
  for (const [index, item] of items.entries()) parts.push(...readItem(item, `output[${index}]`));
  if (parts.length > MAX_PARTS) throw new NoAnswer(`\`output\` holds more than ${MAX_PARTS} parts: ask for fewer calls at once.`);
  const hasCall = parts.some(({ kind }) => kind === 'call' || kind === 'cut');
  const whole = hasCall ? 'tool_use' : 'end_turn';
  // Its items stand in no order in which the last alone could be the one that is cut.
  return finish(parts, { stopReason: cause ?? whole, calls: cause === undefined ? 'all' : 'none' });
}

const INCOMPLETE_REASONS = new Map([
  ['max_output_tokens', 'max_tokens'],
  ['content_filter', 'refusal'],
]);

/** Why the answer is not whole; undefined when it is. Throws for one that failed, was stopped or is still under way. */
function readIncompleteness(response: object): string | undefined {
  const status = ownValue(response, 'status') ?? 'completed';
  const isOver = status === 'completed' || status === 'incomplete';
  if (!isOver || isSaid(ownValue(response, 'error'))) throw new NoAnswer('There is no answer: by its `status` or `error` it failed, was stopped or is not finished.');
  const details = ownValue(response, 'incomplete_details');
  if (status === 'completed' && !isSaid(details)) return undefined;
  const reason = toWord(ownValue(details, 'reason')) ?? 'max_output_tokens';
  return INCOMPLETE_REASONS.get(reason) ?? reason;
}

function readItem(item: unknown, where: string): readonly AnswerPart[] {
  const type = ownValue(item, 'type');
  if (type === 'message') return readEach(toList(ownValue(item, 'content'), `${where}.content`), `${where}.content`, readOutputText);
  if (type !== 'function_call') return [toOther(type, item, where)];
  const call: AnswerPart = { kind: 'call', where, id: ownValue(item, 'call_id'), name: ownValue(item, 'name'), input: ownValue(item, 'arguments'), isText: true };
  return [(ownValue(item, 'status') ?? 'completed') === 'completed' ? call : toCut(call)];
}

function readOutputText(block: unknown, where: string): AnswerPart {
  const type = ownValue(block, 'type');
  if (type === 'refusal') return readRefusal(block, where);
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
