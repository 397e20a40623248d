import { DevsError, errnoOf } from '@devs/core';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** Node puts the value that it refuses into its message (`Received 'Bearer …'`), and the message of a cause ends in the log. What Node calls the error is enough. */
export function withoutValues(cause: unknown): unknown {
  const code = errnoOf(cause);
  return typeof code === 'string' && code.startsWith('ERR_') ? new Error(code) : cause;
}

/** Whether a server took longer than it had. */
export function isTimeout(cause: unknown): boolean {
  if (DevsError.is(cause)) return cause.code === 'CALL_CANCELLED';
  return cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout;
}
