import type { NamedToken, ScopeRules } from '@devs/mcp';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findSite, withPlaceOptions, type PlaceOptions, type Session, type Site } from '../session.ts';
import { openTokenBook, openTokenUse } from '../state/token-list.ts';
import { toTableLines } from '../terminal/table.ts';
import { toJsonText, writeTo } from '../terminal/terminal.ts';

export interface TokensListOptions {
  readonly json: boolean;
}

/** `devs tokens list` on the command line. */
export function addTokensList(tokens: Command, session: Session): void {
  const command = tokens
    .command('list')
    .description('list the named tokens: what they allow, until when, and when they were last used')
    .option('--json', 'one JSON object a line', false)
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async ({ json, ...place }: PlaceOptions & TokensListOptions) => {
    session.exitCode = await tokensListCommand({ json }, await findSite(session, place));
  });
}

/** Neither a token nor its digest is shown: with the digest alone nobody gets in, and nobody needs it. */
export async function tokensListCommand({ json }: TokensListOptions, { state, terminal }: Pick<Site, 'state' | 'terminal'>, now = new Date()): Promise<ExitCode> {
  const { tokens } = await openTokenBook(state).read();
  const use = await openTokenUse(state).read();
  if (tokens.length === 0 && !json) await writeTo(terminal.status, 'There are no named tokens; the token of the first start is in the state folder.\n');
  const toFacts = (token: NamedToken) => {
    const { name, id, scope, createdAt, expiresAt } = token;
    return { name, id, scope, createdAt, expiresAt: expiresAt ?? null, expired: isExpired(token, now), lastUsed: use[id] ?? null };
  };
  const lines = json ? tokens.map((token) => toJsonText(toFacts(token))) : toTableLines(tokens.map((token) => toCells(token, use[token.id], now)));
  for (const line of lines) await writeTo(terminal.output, `${line}\n`);
  return EXIT.ok;
}

function toCells(token: NamedToken, lastUsed: string | undefined, now: Date): readonly string[] {
  const { name, id, scope, createdAt, expiresAt } = token;
  const end = expiresAt === undefined ? 'does not expire' : `${isExpired(token, now) ? 'expired' : 'expires'} ${expiresAt.slice(0, 16)}Z`;
  return [name, id, `made ${createdAt.slice(0, 10)}`, end, `used ${lastUsed ?? 'never'}`, describeScope(scope)];
}

function isExpired({ expiresAt }: NamedToken, now: Date): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();
}

export function describeScope({ tools, servers, readOnly = false, interactive = false }: ScopeRules): string {
  const parts = [
    tools === undefined ? 'all tools' : `tools ${tools.join(' ') || 'none'}`,
    ...(servers === undefined ? [] : [`of ${servers.join(' ') || 'no server'}`]),
    ...(readOnly ? ['read only'] : []),
    ...(interactive ? ['interactive'] : []),
  ];
  return parts.join(', ');
}

const EXAMPLES = `
Examples:
  devs tokens list
  devs tokens list --json`;
