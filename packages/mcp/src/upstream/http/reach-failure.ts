import { DevsError } from '@devs/core';
import { isTimeout, withoutValues } from '../protocol/failure-cause.ts';

/** Why a server that is there already could not be greeted. */
export function toReachFailure(cause: unknown, timeoutMs: number): DevsError {
  if (DevsError.is(cause) && cause.code === 'UPSTREAM_UNAVAILABLE') return cause;
  const suggestion = 'Check the url of the server in the configuration.';
  const sentence = isTimeout(cause) ? `The server did not answer within ${timeoutMs / 1_000} seconds.` : 'The server does not answer as an MCP server.';
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence, suggestion, cause: withoutValues(cause) });
}
