import { describeCause, DevsError, isRecord, type Continuation, type InputRequired, type JsonObject, type Question, type ToolResult } from '@devs/core';
import { MissingRequiredClientCapabilityError, ProtocolErrorCode, type Result } from '@modelcontextprotocol/server';
import { ERROR_ANSWER_KEY } from '../protocol/error-answer.ts';
import { missingCapabilities } from './missing-capabilities.ts';
import type { RelayRequest } from './relay-request.ts';

/** A result that asks the client something, as MCP 2026-07-28 writes it. */
export type QuestionResult = Result & { readonly resultType: 'input_required' };

/** One way through the gate. */
export type Round = (continuation: Continuation | undefined) => Promise<ToolResult>;

/** Questions and answers of one call. A server that always has another question must not be asked for ever. */
const MOST_ROUNDS = 32;
/** Of those in which nobody is asked anything: each has the time of a whole call. */
const MOST_SILENT_ROUNDS = 2;

/**
 * The answer, or what the client has to be asked before there is one. A client of the older protocol is asked here and now,
 * while its request is open, and devs makes the next round for it. Each round is a call of its own in the log.
 */
export async function answerRounds(request: RelayRequest, round: Round): Promise<ToolResult | QuestionResult> {
  let result = await round(request.continuation);
  let silent = 0;
  for (let count = 1; result.inputRequired !== undefined; count += 1) {
    if (request.client.info.era === 'modern') {
      refuseUnaskable(result.inputRequired, request);
      return toQuestionResult(result.inputRequired, result._meta);
    }
    if (count > MOST_ROUNDS) throw new DevsError('UPSTREAM_ANSWER_REFUSED', { sentence: `The server has asked more than ${MOST_ROUNDS} times.` });
    const { inputRequests, requestState } = result.inputRequired;
    if (Object.keys(inputRequests).length === 0) silent += 1;
    if (silent > MOST_SILENT_ROUNDS) throw new DevsError('UPSTREAM_ANSWER_REFUSED', { sentence: 'The server puts off its answer again and again, and asks nothing.' });
    result = await round({ inputResponses: await askAll(inputRequests, request), state: requestState });
  }
  return result;
}

function toQuestionResult({ inputRequests, requestState }: InputRequired, meta: JsonObject | undefined): QuestionResult {
  return {
    resultType: 'input_required',
    inputRequests: { ...inputRequests },
    ...(requestState !== undefined && { requestState }),
    ...(meta !== undefined && { _meta: { ...meta } }),
  };
}

/** Asked for what it cannot do, a client could not even say so. */
function refuseUnaskable({ inputRequests }: InputRequired, { capabilities }: RelayRequest): void {
  for (const question of Object.values(inputRequests)) {
    const requiredCapabilities = missingCapabilities(question, capabilities);
    if (requiredCapabilities === undefined) continue;
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, `The server wants to send ${question.method}, which the client does not offer.`);
  }
}

const NOT_OFFERED: JsonObject = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' };

async function askAll(questions: Readonly<Record<string, Question>>, request: RelayRequest): Promise<JsonObject> {
  const answered = await Promise.all(
    Object.entries(questions).map(async ([key, question]): Promise<readonly [string, JsonObject]> => [key, await askOne(question, request)]),
  );
  return Object.fromEntries(answered);
}

async function askOne(question: Question, { client, id, signal, capabilities }: RelayRequest): Promise<JsonObject> {
  // As the client would answer itself; but not every client answers what it does not know.
  if (missingCapabilities(question, capabilities) !== undefined) return { [ERROR_ANSWER_KEY]: NOT_OFFERED };
  try {
    return await client.ask(question, { signal, relatedRequestId: id });
  } catch (cause) {
    if (signal.aborted) throw new DevsError('CALL_CANCELLED', { cause });
    return { [ERROR_ANSWER_KEY]: toErrorAnswer(cause) };
  }
}

function toErrorAnswer(cause: unknown): JsonObject {
  const code = isRecord(cause) && Number.isSafeInteger(cause['code']) ? Number(cause['code']) : -32_603;
  return { code, message: (cause instanceof Error ? cause.message : describeCause(cause)).slice(0, 1_000) };
}
