import { DevsError, isRecord, type Json, type ToolResult } from '@devs/core';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Own codes, outside of what JSON-RPC and MCP keep for themselves. */
const REFUSED = -32_050;

/** Whatever stood in the way, as the client reads it. Nothing but devs's own words, and what the gate has cleaned. */
export function toProtocolError(cause: unknown): ProtocolError {
  if (cause instanceof ProtocolError) return cause;
  const error = DevsError.is(cause) ? cause : new DevsError('INTERNAL_ERROR', { cause });
  const code = error.code === 'INTERNAL_ERROR' ? ProtocolErrorCode.InternalError : codeOf(error.code);
  return new ProtocolError(code, error.sentence, { code: error.code });
}

/** A result that tells of a failure, where MCP has only errors for that. @param data of MCP's, for what is not there */
export function toFailure({ content, _meta, protocolError }: ToolResult, data: Json): ProtocolError {
  const [first] = content;
  const message = first !== undefined && 'text' in first ? first.text : 'The request failed.';
  // A server does not speak with the code of devs.
  const ofServer = protocolError?.code === REFUSED ? ProtocolErrorCode.InternalError : protocolError?.code;
  if (ofServer !== undefined) return new ProtocolError(ofServer, message, protocolError?.data ?? undefined);
  const refusal = _meta?.['devs/refusal'];
  const code = isRecord(refusal) && typeof refusal['code'] === 'string' ? refusal['code'] : undefined;
  return new ProtocolError(codeOf(code), message, { ...(isRecord(data) && data), ...(isRecord(refusal) && { 'devs/refusal': refusal }) });
}

/** True for what is an error of the protocol, and not a tool's, whatever was asked. */
export function isProtocolFailure({ protocolError, _meta }: ToolResult): boolean {
  const refusal = _meta?.['devs/refusal'];
  if (isRecord(refusal) && refusal['code'] === 'INPUT_STATE_REFUSED') return true;
  return protocolError !== undefined && TOLD_TO_CLIENTS.has(protocolError.code);
}

/** MCP: a capability that the client must declare (2026-07-28), an address that a person must visit first (2025-11-25). */
const TOLD_TO_CLIENTS: ReadonlySet<number> = new Set([-32_021, -32_042]);

function codeOf(code: string | undefined): number {
  switch (code) {
    case 'RESOURCE_NOT_FOUND':
    case 'PROMPT_NOT_FOUND':
    case 'INPUT_STATE_REFUSED':
    case 'CONTEXT_REFUSED':
    case 'MESSAGE_REFUSED':
    case 'TOOL_ARG_VALIDATION_FAILURE':
      return ProtocolErrorCode.InvalidParams;
    case undefined:
    case 'TOOL_EXECUTION_ERROR':
      return ProtocolErrorCode.InternalError;
    default:
      return REFUSED;
  }
}
