import { DevsError, isRecord, type RawToolResult } from '@devs/core';
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** What a server answered to a call, still dirty. Throws `UPSTREAM_ANSWER_REFUSED` when it is no tool result. */
export function toRawResult(answer: unknown): RawToolResult {
  // The SDK's own clients take a missing list for an empty one where there is structured content.
  const isBare = isRecord(answer) && answer['content'] === undefined && answer['structuredContent'] !== undefined;
  const result: unknown = isBare ? { ...answer, content: [] } : answer;
  if (!isToolResult(result)) throw new DevsError('UPSTREAM_ANSWER_REFUSED', { cause: new Error('an answer that is no tool result') });
  return result;
}

/**
 * A call that the server did not answer with a result. Its own error is output like any other: the
 * words are the server's, so they go through the sanitizer and are never a sentence of devs's. Throws
 * `DevsError` for all else.
 */
export function toRawFailure(cause: unknown): RawToolResult {
  if (DevsError.is(cause)) throw cause;
  if (cause instanceof ProtocolError) {
    // Put there by our transport; nothing that a server sends can be one.
    if (DevsError.is(cause.data)) throw cause.data;
    return { content: [{ type: 'text', text: cause.message }], isError: true };
  }
  if (cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed) throw new DevsError('UPSTREAM_LOST', { cause });
  throw new DevsError('UPSTREAM_ANSWER_REFUSED', { cause });
}

function isToolResult(answer: unknown): answer is RawToolResult {
  return isRecord(answer) && Array.isArray(answer['content']);
}
