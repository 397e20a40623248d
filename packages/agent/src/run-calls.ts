import { type AnswerWishes, type CallRejection, describeBlock, DevsError, enforceToolOutputLimit, isRecord, type LLMResponseValidation, ownValue, REFUSAL_META_KEY, type RegisteredTool, type ToolCallRequest, type ToolProxy, type ToolResult } from '@devs/core';
import type { CallAnswer } from './conversation.ts';
import type { ToolCatalog } from './tool-catalog.ts';

const BETWEEN = '\n\n';

/**
 * The blocks of a result within `limit` characters together. The longest is cut to what the others leave, so that
 * devs's own notices, which stand beside it, stay whole; where the others are long too, all become one text.
 */
export function fitResult(texts: readonly string[], limit: number): readonly string[] {
  const total = lengthOf(texts);
  if (total <= limit) return texts;
  const longest = texts.reduce((one, other) => (other.length > one.length ? other : one), '');
  const others = total - longest.length;
  if (others > limit / 2) return [enforceToolOutputLimit(texts.join(BETWEEN), limit)];
  const place = texts.indexOf(longest);
  return texts.with(place, enforceToolOutputLimit(longest, limit - others));
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** A call as it goes into the gate. */
export interface AskedCall {
  readonly index: number;
  readonly where: string;
  readonly name: string;
  readonly input: unknown;
  /** Why it must not run, where that is known before. */
  readonly rejection?: CallRejection | 'too_many';
  /** For the model, beside what the gate says. */
  readonly remark?: string;
}

export interface GateAnswer extends CallAnswer {
  readonly call: AskedCall;
  /** The code of a refusal. */
  readonly code?: string;
}

export interface CallRun {
  readonly registry: ToolCatalog;
  /** What the model was offered, by name. */
  readonly offered: ReadonlyMap<string, RegisteredTool>;
  readonly proxy: Pick<ToolProxy, 'execute' | 'refuse'>;
  /** All of a request but what differs from call to call. */
  readonly request: Omit<ToolCallRequest, 'toolName' | 'args'>;
  readonly maxOutputLength: number;
  readonly maxAtOnce: number;
  readonly onCall: (call: AskedCall) => Promise<void>;
  readonly onAnswer: (answer: GateAnswer) => Promise<void>;
}

/** The gate would take these by itself: what is wrong with them is not in the call, but in the answer around it. */
const REFUSED_BEFORE: ReadonlySet<AskedCall['rejection']> = new Set(['duplicate_id', 'no_id', 'no_schema', 'too_large', 'too_many']);
/** After one of these nothing more may run: there is no log to write it in. */
const STOPPING_CODES = new Set(['AUDIT_UNAVAILABLE', 'ANSWER_WITHHELD']);

/** The calls of an answer, in its order. More than `maxCalls` are not run, and the log is told of each. */
export function listCalls({ toolCalls, rejectedCalls }: LLMResponseValidation, maxCalls: number): readonly AskedCall[] {
  const asked: AskedCall[] = [
    ...toolCalls.map(({ index, where, name, received }) => ({ index, where, name, input: received })),
    ...rejectedCalls.map(({ reason, error, ...call }) => ({ ...call, rejection: reason, remark: error })),
  ];
  const inOrder = asked.sort((one, other) => one.index - other.index);
  return inOrder.map((call, place) => {
    if (place < maxCalls) return call;
    const remark = `An answer may make ${maxCalls} calls; this was number ${place + 1} and was not run.`;
    return { ...call, rejection: 'too_many', remark };
  });
}

/**
 * Each call through the gate. Calls that change nothing run together, a few at a time; one that may change something
 * runs alone and in its place, so that two edits of one file happen in the order in which they were written. Ends
 * before the next call when the log cannot be written, or when the run is stopped.
 */
export async function runCalls(calls: readonly AskedCall[], run: CallRun): Promise<readonly GateAnswer[]> {
  const answers: GateAnswer[] = [];
  for (const batch of toBatches(calls, run)) {
    if (run.request.signal?.aborted === true || answers.some(isStopping)) break;
    answers.push(...(await Promise.all(batch.map(async (call) => runCall(call, run)))));
  }
  return answers;
}

/** True when the gate says that there is no log: then no tool may run. */
export function isStopping({ code }: GateAnswer): boolean {
  return code !== undefined && STOPPING_CODES.has(code);
}

function toBatches(calls: readonly AskedCall[], { registry, maxAtOnce }: CallRun): readonly AskedCall[][] {
  const batches: AskedCall[][] = [];
  let isOpen = false;
  for (const call of calls) {
    const hasEffects = registry.getTool(call.name)?.effects ?? false;
    const last = batches.at(-1);
    if (isOpen && !hasEffects && last !== undefined && last.length < maxAtOnce) last.push(call);
    else batches.push([call]);
    isOpen = !hasEffects;
  }
  return batches;
}

async function runCall(call: AskedCall, run: CallRun): Promise<GateAnswer> {
  await run.onCall(call);
  const request = { ...run.request, toolName: call.name, args: call.input };
  const refusal = refusalOf(call, run);
  const result = refusal === undefined ? await run.proxy.execute(request, wishesFor(run)) : await run.proxy.refuse(request, refusal);
  const answer = toAnswer(call, result, run.maxOutputLength);
  await run.onAnswer(answer);
  return answer;
}

/**
 * No more characters than the loop passes on: what the gate cuts has its boundary closed, its marks whole, and can be read
 * on. The limit in bytes stays the tool's own. Seed 004: the beginning, the end, and how many characters are missing.
 */
function wishesFor({ maxOutputLength }: CallRun): AnswerWishes {
  return { maxCharacters: maxOutputLength, output: { strategy: 'head-and-tail', truncationMessage: '[... {characters} characters truncated ...]' } };
}

/** Why the gate must not even be asked; undefined when it is to decide. */
function refusalOf({ name, rejection, remark = '' }: AskedCall, { registry, offered }: CallRun): DevsError | undefined {
  if (rejection === 'too_many') return new DevsError('MESSAGE_TOO_LARGE', { sentence: remark });
  if (REFUSED_BEFORE.has(rejection)) return new DevsError('MESSAGE_REFUSED', { sentence: remark });
  // The gate knows all tools that are registered by now: a model must not get at one that it was not offered by guessing its name.
  const tool = registry.getTool(name);
  return tool === undefined || tool === offered.get(name) ? undefined : new DevsError('UNKNOWN_TOOL');
}

function toAnswer(call: AskedCall, result: ToolResult, limit: number): GateAnswer {
  const texts = result.content.map(describeBlock);
  // The gate sees a text where an object should be; what is wrong with the text only its reader knows.
  const isUnread = call.rejection === 'not_json' && call.remark !== undefined;
  const refusal = ownValue(result._meta, REFUSAL_META_KEY);
  const code = isRecord(refusal) ? ownValue(refusal, 'code') : undefined;
  return {
    call,
    index: call.index,
    texts: fitResult(isUnread ? [...texts, call.remark] : texts, limit),
    failed: result.isError === true,
    ...(typeof code === 'string' && { code }),
  };
}
