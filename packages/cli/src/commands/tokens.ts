import type { Command } from 'commander';
import type { AddCommand, Session } from '../session.ts';
import { addTokensAdd } from './tokens-add.ts';
import { addTokensList } from './tokens-list.ts';
import { addTokensRevoke } from './tokens-revoke.ts';

/** Each of them lives in its own file. */
const COMMANDS: readonly AddCommand[] = [addTokensAdd, addTokensList, addTokensRevoke];

/** `devs tokens` on the command line. */
export function addTokens(program: Command, session: Session): void {
  const tokens = program.command('tokens').description('manage the tokens for devs over HTTP').addHelpText('after', EXAMPLES);
  for (const add of COMMANDS) add(tokens, session);
}

const EXAMPLES = `
Examples:
  devs tokens add ci --read-only --expires 30d > ci.token
  devs tokens list
  devs tokens revoke ci`;
