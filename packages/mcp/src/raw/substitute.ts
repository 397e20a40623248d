import { cutWords, DevsError, isRecord } from '@devs/core';
import { isSpecType, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { describeFlaw, isId, type RawRequest } from './read-message.ts';
import { inspect, type Flaw } from './inspect.ts';

/**
 * What the SDK is given in the place of a call that is refused: the same id and name, nothing of what is
 * wrong with it. So the refusal leaves in the form that the client's generation of the protocol reads.
 */
export function toSubstitute({ id, params }: RawRequest, envelope: object): object {
  const { name, _meta: meta } = isRecord(params) ? params : {};
  const clean = isRecord(meta) && isPlainMeta(meta) ? meta : envelope;
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    // The whole name: over HTTP the SDK compares it with the header that names it.
    params: { name: typeof name === 'string' ? name : '', arguments: {}, _meta: clean },
  };
}

function isPlainMeta(meta: Record<string, unknown>): boolean {
  const { progressToken } = meta;
  const isKnown = isSpecType.RequestMeta(meta) && (progressToken === undefined || isId(progressToken));
  return isKnown && inspect(meta).flaw === undefined;
}

/** Why a call is refused for its message: in its arguments, it is the model's to repair. */
export function toCallRefusal(flaw: Flaw): DevsError {
  const isArgument = flaw.path[0] === 'params' && flaw.path[1] === 'arguments';
  if (!isArgument) return new DevsError('MESSAGE_REFUSED', { sentence: `The message cannot be accepted: ${describeFlaw(flaw)}` });
  const { path, problem } = flaw;
  const sentence = path.length > 2 ? `Argument ${describeFlaw({ path: path.slice(2), problem })}` : `The arguments ${problem}.`;
  return new DevsError('TOOL_ARG_VALIDATION_FAILURE', { sentence });
}

export function tooLarge(problem: string): DevsError {
  return new DevsError('MESSAGE_TOO_LARGE', { sentence: `The message ${problem}.` });
}

/** Why a call that the SDK answered by itself is in the log: in the SDK's words, quoted and capped. */
export function answeredBySdk(reason: string): DevsError {
  return new DevsError('MESSAGE_REFUSED', { sentence: `The message was refused: ${JSON.stringify(cutWords(reason, 200))}.` });
}

/** The same, of the SDK's whole answer. */
export function toSdkRefusal(answer: JSONRPCMessage): DevsError {
  return answeredBySdk('error' in answer ? answer.error.message : 'answered by the protocol layer');
}
