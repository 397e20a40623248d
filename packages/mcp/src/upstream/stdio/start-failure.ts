import { cutWords, DevsError } from '@devs/core';
import type { ChildExit } from '../../protocol/upstream.ts';
import { isTimeout, withoutValues } from '../protocol/failure-cause.ts';

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
