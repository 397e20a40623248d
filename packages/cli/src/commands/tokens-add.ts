import { isTokenName, mintNamedToken, type NamedToken, type ScopeRules } from '@devs/mcp';
import { Option, type Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { findSite, withPlaceOptions, type PlaceOptions, type Session, type Site } from '../session.ts';
import { MOST_TOKENS, openTokenBook, type TokenBook } from '../state/token-list.ts';
import { printableLine, writeTo } from '../terminal/terminal.ts';

export interface TokensAddOptions {
  readonly name: string;
  readonly scope: ScopeRules;
  /** `30d`, `12h`, a day or a time, in UTC. */
  readonly expires?: string | undefined;
}

interface Given {
  readonly tools?: readonly string[];
  readonly servers?: readonly string[];
  readonly readOnly?: boolean;
  readonly interactive?: boolean;
  readonly expires?: string;
}

/** `devs tokens add` on the command line. */
export function addTokensAdd(tokens: Command, session: Session): void {
  const command = tokens
    .command('add')
    .description('create a token and print it, only once')
    .argument('<name>', 'appears in the log as token:<name>')
    .addOption(new Option('--tools <patterns...>', 'only tools of these names; * matches any characters'))
    .addOption(new Option('--servers <names...>', "only tools of these servers; built-in: devs's own"))
    .option('--read-only', "only devs's own tools that change nothing anywhere")
    .option('--interactive', 'servers may ask the person who uses it')
    .option('--expires <time>', 'when it expires: 30d, 12h, 2027-01-31')
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (name: string, { expires, tools, servers, readOnly, interactive, ...place }: PlaceOptions & Given) => {
    const scope = { ...(tools !== undefined && { tools }), ...(servers !== undefined && { servers }), ...(readOnly !== undefined && { readOnly }), ...(interactive !== undefined && { interactive }) };
    session.exitCode = await tokensAddCommand({ name, scope, expires }, await findSite(session, place));
  });
}

/** The token goes to standard output alone, so that it can go into a file without being seen; the file of tokens has its digest. */
export async function tokensAddCommand({ name, scope, expires }: TokensAddOptions, { state, terminal }: Pick<Site, 'state' | 'terminal'>, now = new Date()): Promise<ExitCode> {
  checkName(name);
  checkScope(scope);
  const expiresAt = expires === undefined ? undefined : parseExpiry(expires, now);
  const { token, id, sha256 } = mintNamedToken();
  const entry: NamedToken = { name, id, sha256, scope, createdAt: now.toISOString(), ...(expiresAt !== undefined && { expiresAt }) };
  await openTokenBook(state).change((book) => addTo(book, entry, now));
  await writeTo(terminal.output, `${token}\n`);
  const until = expiresAt === undefined ? 'until it is revoked' : `until ${expiresAt}`;
  await writeTo(terminal.status, `The token ${printableLine(name)} is valid ${until}, in every devs that serves this folder. It is shown only once; devs keeps its digest.\n`);
  return EXIT.ok;
}

function addTo({ tokens, ...book }: TokenBook, entry: NamedToken, now: Date): TokenBook {
  const left = tokens.filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > now.getTime());
  if (left.some(({ name }) => name === entry.name)) throw new CommandFailure(EXIT.usage, `A token ${entry.name} exists. Revoke it first, or choose another name.`);
  if (left.length >= MOST_TOKENS) throw new CommandFailure(EXIT.usage, `There are already ${MOST_TOKENS} tokens, the maximum. Revoke one first.`);
  return { ...book, tokens: [...left, entry] };
}

export function checkName(name: string): void {
  if (!isTokenName(name)) throw new CommandFailure(EXIT.usage, `The name ${printableLine(JSON.stringify(name))} is not valid: 1 to 64 characters of A-Z a-z 0-9 . _ -, a letter or a digit first.`);
}

/** What no tool and no server can be called would narrow to nothing, where somebody meant something. */
function checkScope({ tools = [], servers = [] }: ScopeRules): void {
  const pattern = tools.find((each) => !/^[A-Za-z0-9_.*/-]{1,128}$/.test(each));
  const server = servers.find((each) => !/^[A-Za-z0-9_.-]{1,64}$/.test(each));
  if (pattern !== undefined) throw new CommandFailure(EXIT.usage, `--tools ${printableLine(pattern)}: a pattern is 1 to 128 characters of A-Z a-z 0-9 _ . - / and *.`);
  if (server !== undefined) throw new CommandFailure(EXIT.usage, `--servers ${printableLine(server)}: no server has such a name.`);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
/** So that no number of days becomes a time that cannot be written. */
const MOST_MS = 100 * 365 * 86_400_000;

/** ISO 8601, UTC. Throws a `CommandFailure` for what is not understood, and for what is past. */
export function parseExpiry(text: string, now: Date): string {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const isDay = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text);
  const at = count === undefined ? (isDay ? Date.parse(text) : Number.NaN) : now.getTime() + Number(count) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(at)) throw new CommandFailure(EXIT.usage, `--expires ${printableLine(text)}: it is not understood. Examples: 12h, 30d, 2027-01-31, 2027-01-31T18:00Z.`);
  if (at <= now.getTime() || at - now.getTime() > MOST_MS) throw new CommandFailure(EXIT.usage, `--expires ${text}: it must be in the next hundred years.`);
  return new Date(at).toISOString();
}

const EXAMPLES = `
Examples:
  devs tokens add laptop --interactive
  devs tokens add ci --read-only --expires 30d > ci.token
  devs tokens add files --tools 'files__*' read_file --servers files built-in`;
