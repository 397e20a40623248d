import { ANONYMOUS, DevsError, isRecord, parseClaims, type ToolExecutionContext } from '@devs/core';

/** Where a caller says who it is. Claims: logged and used to narrow, never to widen. */
export const CONTEXT_META_KEY = 'devs/context';

export interface SessionContext {
  readonly context: ToolExecutionContext;
  /** Set when the claims were refused; the context is then the safe default. */
  readonly refusal?: DevsError;
}

/** The only reader of `_meta`. Never throws: a refused claim is a refused call, and that is logged too. */
export function readSessionContext(params: unknown, projectRoot: string): SessionContext {
  try {
    return { context: { projectRoot, ...parseClaims(claimsIn(params)) } };
  } catch (cause) {
    const refusal = cause instanceof DevsError ? cause : new DevsError('CONTEXT_REFUSED', { cause });
    return { context: { projectRoot, ...ANONYMOUS }, refusal };
  }
}

function claimsIn(params: unknown): unknown {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) && Object.hasOwn(meta, CONTEXT_META_KEY) ? meta[CONTEXT_META_KEY] : undefined;
}
