import { ANONYMOUS, DevsError, isRecord, parseClaims, type AgentSource, type ToolExecutionContext } from '@devs/core';
import type { Agent } from './agent-names.ts';

/** Where a caller says who it is. Claims: logged and used to narrow, never to widen. */
export const CONTEXT_META_KEY = 'devs/context';

export interface SessionContext {
  readonly context: ToolExecutionContext;
  /** Absent: the agent has no name, or nobody was asked for one. */
  readonly agentSource?: AgentSource;
  /** Set when the claims were refused; the context is then the safe default. */
  readonly refusal?: DevsError;
}

/**
 * The only reader of `_meta`. Never throws: a refused claim is a refused call, and that is logged too.
 * @param agent what holds where the caller claims nothing. Absent: `ANONYMOUS`
 */
export function readSessionContext(params: unknown, projectRoot: string, agent?: Agent): SessionContext {
  try {
    const said = claimsIn(params);
    const claims = parseClaims(said);
    if (agent === undefined) return { context: { projectRoot, ...claims } };
    const { agentId, turnIndex } = isRecord(said) ? said : {};
    const isClaimed = typeof agentId === 'string' && agentId !== '';
    const context = { projectRoot, ...claims, ...(!isClaimed && { agentId: agent.agentId }), ...((turnIndex ?? undefined) === undefined && { turnIndex: agent.turnIndex }) };
    return { context, ...(isClaimed ? { agentSource: 'claimed' as const } : sourceOf(agent)) };
  } catch (cause) {
    const refusal = cause instanceof DevsError ? cause : new DevsError('CONTEXT_REFUSED', { cause });
    if (agent === undefined) return { context: { projectRoot, ...ANONYMOUS }, refusal };
    const { agentId, turnIndex } = agent;
    return { context: { projectRoot, ...ANONYMOUS, agentId, turnIndex }, ...sourceOf(agent), refusal };
  }
}

function sourceOf({ isNamed }: Agent): Pick<SessionContext, 'agentSource'> {
  return isNamed ? { agentSource: 'clientInfo' } : {};
}

function claimsIn(params: unknown): unknown {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) && Object.hasOwn(meta, CONTEXT_META_KEY) ? meta[CONTEXT_META_KEY] : undefined;
}
