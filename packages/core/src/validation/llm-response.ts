import { closestName } from '../config/closest-name.ts';
import type { Json } from '../json.ts';
import { countValues } from './foreign-json.ts';
import { Meter, TooMuchWork } from './json-schema/evaluation/run.ts';
import { quoteName } from './json-schema/evaluation/words.ts';
import { describeType, NoAnswer, readAnswer, type Answer, type AnswerPart } from './llm-answer.ts';
import { copyPlain, isRefused } from './plain-copy.ts';
import type { Judge } from './schema-check.ts';
import { prepareJudge } from './schema.ts';
import { readJsonStrictly } from './strict-json.ts';
import { describeProblem } from './validation-error.ts';
import { cutWords } from '../protocol/text.ts';

/** A tool that a model may call. Its schema stands under the name that its API gives it. */
export interface AvailableTool {
  /** Seed 004, OpenAI. */
  readonly parameters?: object | boolean;
  /** MCP. */
  readonly inputSchema?: object | boolean;
  /** Messages API. */
  readonly input_schema?: object | boolean;
  /** Default `strict`. */
  readonly mode?: 'strict' | 'lenient';
}

export interface ValidatedToolCall {
  readonly id: string;
  readonly name: string;
  /** A plain copy, as checked; coerced where the tool's mode is lenient. */
  readonly input: Json;
  /** What came, before any coercion. */
  readonly received: Json;
  /** Where it stands in the answer, for example `content[3]`. */
  readonly where: string;
  /** Which part of the answer it is, from 0: the order of all calls. */
  readonly index: number;
}

export type CallRejection = 'unknown_tool' | 'invalid_input' | 'not_json' | 'duplicate_id' | 'no_id' | 'no_name' | 'no_schema' | 'too_large';

/** A call that must not run. The gate should still be told of it, so that it is in the log. */
export interface RejectedToolCall {
  /** Empty when the call has none. */
  readonly id: string;
  /** Empty when the call has none. */
  readonly name: string;
  /** As it came. */
  readonly input: unknown;
  readonly where: string;
  readonly index: number;
  readonly reason: CallRejection;
  /** What is wrong and how to repair it; the same as in `errors`. */
  readonly error: string;
}

/** A call that is not finished, or stands in an answer that is not. It must not run, even if what is there can be read. */
export interface CutToolCall {
  readonly id: string;
  readonly name: string;
  readonly where: string;
  readonly index: number;
}

export interface OtherBlock {
  readonly where: string;
  readonly type: string;
  readonly block: unknown;
}

export interface LLMResponseValidation {
  readonly valid: boolean;
  /** In the order of the answer. */
  readonly toolCalls: readonly ValidatedToolCall[];
  readonly textContent: string;
  /** What is wrong, where, and how to repair it. Never quotes a value. At most 50, and a last one that counts the rest. */
  readonly errors: readonly string[];
  readonly rejectedCalls: readonly RejectedToolCall[];
  readonly cutCalls: readonly CutToolCall[];
  /** Blocks of other types, and what the model's own server runs: kept, never executed. */
  readonly otherBlocks: readonly OtherBlock[];
  /** In the words of the Messages API; null when there is none. */
  readonly stopReason: string | null;
}

const MAX_ERRORS = 50;
const MAX_ERROR_CHARACTERS = 1_000;
const MAX_ID_CHARACTERS = 256;
/** Of all arguments of one answer together: each call alone may hold as much as the gate takes. */
const MAX_VALUES = 1_000_000;
const MAX_ARGUMENT_CHARACTERS = 16_777_216;
/** Names that are compared with all known ones; the comparison costs the product of both. */
const MAX_HINTS = 20;

interface Judging {
  readonly tools: ReadonlyMap<string, AvailableTool>;
  readonly ids: Set<string>;
  readonly calls: (ValidatedToolCall | RejectedToolCall)[];
  /** Each tool's schema is compiled once. */
  readonly judges: Map<AvailableTool, Judge>;
  /** All calls of one answer together cost no more than the gate spends on one: an answer may hold a thousand. */
  readonly meter: Meter;
  valuesLeft: number;
  hintsLeft: number;
}

type Call = Extract<AnswerPart, { kind: 'call' }>;
type Verdict = Omit<ValidatedToolCall, 'index'> | Omit<RejectedToolCall, 'index'>;

/**
 * What a model's answer asks for, checked before anything acts on it (seed 004). Answers of the Messages API, of
 * Chat Completions and of the Responses API. Never throws, whatever comes, and its work is bounded.
 * @example
 * ```ts
 * import { validateLLMResponse } from '@devs/core';
 * const answer = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' };
 * const { valid, textContent, toolCalls } = validateLLMResponse(answer, new Map());
 * console.log(valid, textContent, toolCalls); // true Done. []
 * ```
 */
export function validateLLMResponse(
  response: unknown,
  availableTools: ReadonlyMap<string, AvailableTool>,
): LLMResponseValidation {
  try {
    return judgeAnswer(readAnswer(response), availableTools);
  } catch (cause) {
    // A getter or a proxy threw, unless the reader said itself what is wrong; what they throw is not for showing.
    const error = isNoAnswer(cause) ? cause.message : 'Invalid response format: it cannot be read.';
    return { valid: false, toolCalls: [], textContent: '', errors: [error], rejectedCalls: [], cutCalls: [], otherBlocks: [], stopReason: null };
  }
}

/** A thrown proxy may throw when its prototype is asked for. */
function isNoAnswer(cause: unknown): cause is NoAnswer {
  try {
    return cause instanceof NoAnswer;
  } catch {
    return false;
  }
}

function judgeAnswer({ parts, stopReason }: Answer, tools: ReadonlyMap<string, AvailableTool>): LLMResponseValidation {
  const judging: Judging = { tools, ids: new Set(), calls: [], judges: new Map(), meter: new Meter(), valuesLeft: MAX_VALUES, hintsLeft: MAX_HINTS };
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'call') judging.calls.push({ ...judgeCall(part, judging), index });
  }
  const rejectedCalls = judging.calls.flatMap((call) => ('error' in call ? [call] : []));
  const cutCalls = parts.flatMap((part, index) => (part.kind === 'cut' ? [{ id: toId(part.id), name: toName(part.name), where: part.where, index }] : []));
  const errors = [
    ...parts.flatMap((part) => (part.kind === 'bad' ? [`${part.where} ${part.problem}.`] : [])),
    ...rejectedCalls.map(({ error }) => error),
    ...cutCalls.map(({ where, name }) => `${where}: the call of ${quoteName(name)} ${whyCut(stopReason)}`),
  ];
  return {
    valid: errors.length === 0,
    toolCalls: judging.calls.flatMap((call) => ('error' in call ? [] : [call])),
    textContent: parts.flatMap((part) => (part.kind === 'text' || part.kind === 'refusal' ? [part.text] : [])).join(''),
    errors: capErrors(errors),
    rejectedCalls,
    cutCalls,
    otherBlocks: parts.flatMap((part) => (part.kind === 'other' ? [{ where: part.where, type: part.type, block: part.block }] : [])),
    stopReason,
  };
}

const LENGTH_LIMITS = new Set(['max_tokens', 'model_context_window_exceeded']);

function whyCut(stopReason: string | null): string {
  return LENGTH_LIMITS.has(stopReason ?? '')
    ? 'was cut off by the length limit and is not run. Ask for less in one call, in several steps.'
    : 'is not run: the call, or the answer that it stands in, was not finished.';
}

function judgeCall(call: Call, judging: Judging): Verdict {
  const { where, input } = call;
  const id = toId(call.id);
  const name = toName(call.name);
  const reject = (reason: CallRejection, problem: string): Omit<RejectedToolCall, 'index'> => {
    return { id, name, input, where, reason, error: shorten(`${where}${problem}`) };
  };
  if (id === '') return reject('no_id', `: a call must have an id, a string of 1 to ${MAX_ID_CHARACTERS} characters.`);
  if (judging.ids.has(id)) return reject('duplicate_id', ': its id stands at an earlier call of the same answer; give each call its own.');
  judging.ids.add(id);
  if (typeof call.name !== 'string' || name === '') return reject('no_name', ': a call must name a tool.');
  const tool = judging.tools.get(name);
  if (tool === undefined) return reject('unknown_tool', `: Unknown tool: ${quoteName(name)}.${hint(name, judging)} Call one of the tools that are offered.`);
  if (isUsedUp(judging.meter)) return reject('too_large', `: ${TOO_MUCH}`);
  const reading = readInput(call, judging);
  if ('problem' in reading) return reject(reading.reason, `: Invalid input for ${quoteName(name)}: ${reading.problem}.`);
  const judge = judgeOf(tool, judging.judges);
  if (judge === undefined) return reject('no_schema', `: the tool ${quoteName(name)} has no schema, so nothing can be checked against it.`);
  const verdict = judge.judge(reading.value, judging.meter);
  if (!isRefused(verdict)) return { id, name, input: verdict.value, received: reading.value, where };
  const { problems } = verdict.refusal;
  if (isUsedUp(judging.meter) && problems.some(({ code }) => code === 'VALIDATION_TOO_LARGE')) return reject('too_large', `: ${TOO_MUCH}`);
  return reject('invalid_input', `: Invalid input for ${quoteName(name)}: ${problems.map((problem) => describeProblem(problem)).join('. ')}`);
}

const TOO_MUCH = 'the calls of this answer take too long to check; send fewer at once, or smaller ones.';

/** What could not pay once can pay nothing more. */
function isUsedUp(meter: Meter): boolean {
  try {
    meter.spend(0);
    return false;
  } catch (cause) {
    if (cause instanceof TooMuchWork) return true;
    throw cause;
  }
}

function judgeOf(tool: AvailableTool, judges: Map<AvailableTool, Judge>): Judge | undefined {
  const known = judges.get(tool);
  const schema = known === undefined ? schemaOf(tool) : undefined;
  if (schema === undefined) return known;
  const judge = prepareJudge(schema, { mode: tool.mode ?? 'strict' });
  judges.set(tool, judge);
  return judge;
}

type InputReading = { readonly value: Json } | { readonly problem: string; readonly reason: CallRejection };

function readInput({ input, isText }: Call, judging: Judging): InputReading {
  if (isText || typeof input === 'string') {
    if (typeof input !== 'string') return { reason: 'not_json', problem: `the arguments must be JSON in a string, not ${describeType(input)}` };
    if (input.length > MAX_ARGUMENT_CHARACTERS) return { reason: 'too_large', problem: `the arguments are longer than ${MAX_ARGUMENT_CHARACTERS} characters` };
    const reading = readJsonStrictly(input);
    if ('problem' in reading) return { reason: 'not_json', problem: `the text of the arguments ${reading.problem}; send one JSON object` };
    if (!isText) return { reason: 'not_json', problem: 'the input is text; send the JSON object itself' };
    return copyInput(reading.value, judging);
  }
  return copyInput(input, judging);
}

function copyInput(input: unknown, judging: Judging): InputReading {
  // What an answer holds in all is bounded: one big value, referred to by each of many calls, is walked once too often.
  if (judging.valuesLeft <= 0) return { reason: 'too_large', problem: `the calls of this answer hold more than ${MAX_VALUES} values; send fewer at once` };
  const copied = copyPlain(input);
  if (isRefused(copied)) {
    // How far the copy came is not known: fifty that fail at their end are the most.
    judging.valuesLeft -= MAX_VALUES / MAX_ERRORS;
    const { pointer, problem } = copied.refusal;
    return { reason: 'invalid_input', problem: pointer === '' ? `the input ${problem}` : `${quoteName(pointer)} ${problem}` };
  }
  judging.valuesLeft -= countValues(copied.value);
  return { value: copied.value };
}

function schemaOf(tool: AvailableTool): object | boolean | undefined {
  for (const key of ['parameters', 'inputSchema', 'input_schema'] as const) {
    const schema = Object.hasOwn(tool, key) ? tool[key] : undefined;
    if (schema !== undefined) return schema;
  }
  return undefined;
}

function hint(name: string, judging: Judging): string {
  judging.hintsLeft -= 1;
  const near = judging.hintsLeft < 0 ? undefined : closestName(name, [...judging.tools.keys()]);
  return near === undefined ? '' : ` Did you mean ${quoteName(near)}?`;
}

function toId(id: unknown): string {
  return typeof id === 'string' && id.length <= MAX_ID_CHARACTERS ? id : '';
}

function toName(name: unknown): string {
  return typeof name === 'string' ? name : '';
}

function shorten(error: string): string {
  return error.length <= MAX_ERROR_CHARACTERS ? error : `${cutWords(error, MAX_ERROR_CHARACTERS)}…`;
}

function capErrors(errors: readonly string[]): readonly string[] {
  if (errors.length <= MAX_ERRORS) return errors;
  return [...errors.slice(0, MAX_ERRORS), `There are ${errors.length - MAX_ERRORS} more problems.`];
}
