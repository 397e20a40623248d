import { describeCause, DevsError } from '@devs/core';
import { AgentLogError } from '@devs/storage';
import { CommanderError } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { isGone, printable, writeTo, type Terminal } from './terminal.ts';

/** Says why a command failed, in a sentence, and gives what it ends with. Never shows a stack. */
export async function explain(cause: unknown, { status }: Terminal): Promise<ExitCode> {
  if (isGone(cause)) return EXIT.ok;
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const { exitCode, message } = toFailure(cause);
  // A reader that has gone (devs logs | head) is no failure to tell anybody about.
  await writeTo(status, `devs: ${printable(message)}\n`).catch(() => undefined);
  return exitCode;
}

function toFailure(cause: unknown): { readonly exitCode: ExitCode; readonly message: string } {
  if (cause instanceof CommandFailure) return cause;
  if (cause instanceof DevsError) {
    const reason = cause.cause === undefined ? '' : ` (${reasonOf(cause.cause)})`;
    const exitCode = cause.code === 'LOG_QUERY_REFUSED' ? EXIT.usage : EXIT.configuration;
    return { exitCode, message: `${cause.sentence}${reason}` };
  }
  // Damaged, moved, locked: nothing that devs did wrong, and something that a person can mend.
  if (cause instanceof AgentLogError) return { exitCode: EXIT.configuration, message: `${cause.message}.` };
  return { exitCode: EXIT.internal, message: `unexpected: ${describeCause(cause)}` };
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && !(cause instanceof DevsError) ? cause.message : describeCause(cause);
}

