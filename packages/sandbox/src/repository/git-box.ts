import type { ConfinedRequest, Mount, ProcessOutcome } from '@devs/core';
import type { CommitParts, Identity } from './commit-parts.ts';
import { commitRefused } from './commit-refused.ts';

/** Bytes kept of each output. */
const KEPT = 65_536;
/** Characters of what git or a hook has said that an agent is told. */
const SHOWN = 2_000;

/** What git finds in its environment whatever it does: no file of the machine decides anything, nothing asks, nothing is shown. */
const GIT_ENVIRONMENT = Object.freeze({
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_NO_REPLACE_OBJECTS: '1',
});

export interface GitRun {
  readonly argv: ConfinedRequest['argv'];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly stdin?: Uint8Array | string;
}

/** Runs git, or what runs git, in a box without a network. Devs runs it nowhere else. Throws what `Confinement.exec` does. */
export async function runInBox({ confinement, limits, signal }: CommitParts, run: GitRun): Promise<ProcessOutcome> {
  const { stdin = '', env, ...rest } = run;
  const outcome = await confinement.exec({ ...rest, env: { ...env, ...GIT_ENVIRONMENT }, hosts: [], limits }, { stdin, signal, keepBytes: KEPT });
  if (outcome.exit.kind === 'cancelled') signal.throwIfAborted();
  return outcome;
}

export function identityEnvironment({ name, email }: Identity): Readonly<Record<string, string>> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** @throws DevsError COMMIT_REFUSED: it did not end well, with what was said */
export function refuseFailure(outcome: ProcessOutcome, what: string): void {
  const { exit, stdout, stderr } = outcome;
  if (exit.kind === 'code' && exit.code === 0) return;
  if (exit.kind === 'limit') throw commitRefused(`${what} reached its limit (${exit.limit}).`);
  if (exit.kind !== 'code') throw commitRefused(`${what} was ended before it was done.`, { cause: exit.kind === 'setup' ? exit.detail : exit.kind });
  const said = shownOutput(stderr) ?? shownOutput(stdout);
  throw commitRefused(said === undefined ? `${what} failed and did not say why.` : `${what} failed (exit code ${String(exit.code)}) and said: ${said}`);
}

/** The end of an output, as text; undefined when there is none. */
export function shownOutput({ head, tail, omitted }: ProcessOutcome['stdout']): string | undefined {
  const text = (omitted > 0 ? Buffer.from(tail) : Buffer.concat([head, tail])).toString().trim();
  if (text === '') return undefined;
  return text.length > SHOWN ? `… ${text.slice(-SHOWN).toWellFormed()}` : text;
}
