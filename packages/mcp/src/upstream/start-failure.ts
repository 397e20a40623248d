import { cutWords, DevsError, isRecord } from '@devs/core';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { ChildExit } from './child-server.ts';

export interface FailedStart {
  readonly command: string;
  /** Set when the process was gone before devs ended it. */
  readonly exit: ChildExit | undefined;
  readonly timeoutMs: number;
  /** It ran in a box, where what it needs may be missing. */
  readonly isConfined: boolean;
  readonly cause: unknown;
}

/** Why a server could not be started, in a sentence for whoever reads the client's error or the terminal. */
export function toStartFailure(start: FailedStart): DevsError {
  const suggestion = 'Check the command, and what the server says on standard error.';
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence: sentenceOf(start), suggestion, cause: withoutValues(start.cause) });
}

/** Node puts the value that it refuses into its message (`Received 'Bearer …'`), and the message of a cause ends in the log. What Node calls the error is enough. */
function withoutValues(cause: unknown): unknown {
  const code = isRecord(cause) ? cause['code'] : undefined;
  return typeof code === 'string' && code.startsWith('ERR_') ? new Error(code) : cause;
}

/** How a process ended, to stand after its name. */
export function describeExit(exit: ChildExit): string {
  switch (exit.kind) {
    case 'ended':
      return `ended with code ${exit.code}`;
    case 'killed':
      return `was ended by ${exit.signal}`;
    default:
      return 'could not be started';
  }
}

function sentenceOf({ command, exit, timeoutMs, isConfined, cause }: FailedStart): string {
  const name = JSON.stringify(cutWords(command, 200));
  if (exit?.kind === 'not found') return `The command ${name} was not found. Is it installed, and on the PATH?`;
  if (exit?.kind === 'not executable') return `The command ${name} cannot be executed.`;
  if (exit?.kind === 'not started') return `The command ${name} could not be started.`;
  // Of a box a server says only what it missed, not why.
  const where = isConfined ? ' It ran in a sandbox, where it reaches only the hosts and files that its entry names: devs doctor shows what is in it.' : '';
  if (exit !== undefined) return `The server ${name} ${describeExit(exit)} before it was ready.${where}`;
  if (isTimeout(cause)) {
    return `The server ${name} did not answer within ${timeoutMs / 1_000} seconds.${where}`;
  }
  return `The server ${name} does not answer as an MCP server.`;
}

function isTimeout(cause: unknown): boolean {
  if (DevsError.is(cause)) return cause.code === 'CALL_CANCELLED';
  return cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout;
}

/** Why a server that is there already could not be greeted. */
export function toReachFailure(cause: unknown, timeoutMs: number): DevsError {
  if (DevsError.is(cause) && cause.code === 'UPSTREAM_UNAVAILABLE') return cause;
  const suggestion = 'Check the url of the server in the configuration.';
  const sentence = isTimeout(cause) ? `The server did not answer within ${timeoutMs / 1_000} seconds.` : 'The server does not answer as an MCP server.';
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence, suggestion, cause: withoutValues(cause) });
}
