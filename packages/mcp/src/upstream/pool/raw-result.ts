import { DevsError, isRecord, type RawToolResult } from '@devs/core';
import type { UpstreamError } from '../../protocol/upstream.ts';

/** What a server answered to a call, still dirty. Throws `UPSTREAM_ANSWER_REFUSED` when it is no tool result. */
export function toRawResult(answer: unknown): RawToolResult {
  // The SDK's own clients take a missing list for an empty one where there is structured content.
  const isBare = isRecord(answer) && answer['content'] === undefined && answer['structuredContent'] !== undefined;
  const result: unknown = isBare ? { ...answer, content: [] } : answer;
  if (!isToolResult(result)) throw new DevsError('UPSTREAM_ANSWER_REFUSED', { cause: new Error('an answer that is no tool result') });
  // Words between devs and its gate: a server that writes them itself must not be taken for devs.
  const { inputRequired: _asked, protocolError: _failed, ...own } = result;
  return own;
}

function isToolResult(answer: unknown): answer is RawToolResult {
  return isRecord(answer) && Array.isArray(answer['content']);
}

/** A server's own error, with its code: the words are the server's, so they are output like any other. */
export function toErrorResult({ message, code, data }: UpstreamError): RawToolResult {
  return { content: [{ type: 'text', text: message }], isError: true, protocolError: { code, ...(data !== undefined && { data }) } };
}
