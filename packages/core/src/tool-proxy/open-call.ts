import { DevsError } from '../errors.ts';
import { ANONYMOUS, parseContext } from '../tool-registry/context.ts';
import type { Call, Clock } from './call/call.ts';
import { toPassthrough, type ReadPassthrough } from './call/passthrough.ts';
import type { AgentSource, Origin, ToolCallRequest } from './call/types.ts';
import { cutWords } from '../protocol/text.ts';

const MAX_NAME_CHARACTERS = 200;
const LIBRARY: Origin = Object.freeze({ principal: 'local', channel: 'library' });

export interface CallSetting {
  readonly id: string;
  readonly clock: Clock;
}

/**
 * Reads the request, once: a getter that answers differently the second time must not get one tool
 * looked up and another logged.
 */
export function openCall(request: ToolCallRequest, { id, clock }: CallSetting): Call {
  const { toolName, args, context, origin, signal, handed } = readRequest(request);
  return {
    id,
    askedName: toolName,
    toolName: showName(cutName(toolName)),
    args,
    signal,
    ...readContext(context),
    origin,
    ...handed,
    timestamp: clock.timestamp(),
    startedAt: clock.monotonicMs(),
  };
}

interface Asked extends Pick<Call, 'args' | 'signal' | 'origin'> {
  readonly handed: ReadPassthrough;
  readonly toolName: string;
  readonly context: unknown;
}

function readRequest(request: ToolCallRequest): Asked {
  try {
    const { toolName, args, context, origin, signal, admits, session, continuation, meta, onNotice, wantsProgress } = request;
    const { principal, channel, parentCallId, agentSource } = origin ?? LIBRARY;
    const copied = { principal, channel, ...(parentCallId !== undefined && { parentCallId }), ...(isAgentSource(agentSource) && { agentSource }) };
    return { toolName, args, context, signal, origin: copied, handed: toPassthrough({ admits, session, continuation, meta, onNotice, wantsProgress }) };
  } catch {
    // No request at all, or a getter that throws: it has no context, and is refused for that.
    return { toolName: '', args: undefined, context: undefined, signal: undefined, origin: LIBRARY, handed: toPassthrough({}) };
  }
}

function isAgentSource(value: unknown): value is AgentSource {
  return value === 'claimed' || value === 'clientInfo';
}

function readContext(context: unknown): Pick<Call, 'context' | 'contextRefused'> {
  try {
    return { context: parseContext(context), contextRefused: undefined };
  } catch (cause) {
    const contextRefused = DevsError.is(cause) ? cause : new DevsError('CONTEXT_REFUSED', { cause });
    return { context: { projectRoot: '', ...ANONYMOUS }, contextRefused };
  }
}

/** A name is the caller's word: it must not fill a log. */
export function cutName(name: unknown): string {
  return cutWords(typeof name === 'string' ? name : typeof name, MAX_NAME_CHARACTERS);
}

/** Nor may it forge lines there. After its secrets are masked: a sign for what is hidden in one would part it. */
export function showName(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}
