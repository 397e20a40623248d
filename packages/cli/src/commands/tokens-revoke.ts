import type { Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { findSite, withPlaceOptions, type PlaceOptions, type Session, type Site } from '../session.ts';
import { openTokenBook } from '../state/token-list.ts';
import { printableLine, writeTo } from '../terminal/terminal.ts';
import { checkName } from './tokens-add.ts';

/** `devs tokens revoke` on the command line. */
export function addTokensRevoke(tokens: Command, session: Session): void {
  const command = tokens
    .command('revoke')
    .description('revoke a token: it stops working')
    .argument('<name>', 'as devs tokens list shows it')
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (name: string, place: PlaceOptions) => {
    session.exitCode = await tokensRevokeCommand(name, await findSite(session, place));
  });
}

/** A devs that runs takes it over within a second, and ends what the token has open. Exit 1 when there is no such token. */
export async function tokensRevokeCommand(name: string, { state, terminal }: Pick<Site, 'state' | 'terminal'>): Promise<ExitCode> {
  checkName(name);
  await openTokenBook(state).change(({ tokens, ...book }) => {
    const left = tokens.filter((token) => token.name !== name);
    if (left.length === tokens.length) throw new CommandFailure(EXIT.toolError, `There is no token ${name}. See: devs tokens list`);
    return { ...book, tokens: left };
  });
  await writeTo(terminal.status, `The token ${printableLine(name)} is revoked; every devs that serves this folder applies this within a second.\n`);
  return EXIT.ok;
}

const EXAMPLES = `
Examples:
  devs tokens revoke ci`;
