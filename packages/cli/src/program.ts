import { DEFAULT_CONFIG, describeCause, DevsError, isRecord, type AgentLogEntry } from '@devs/core';
import { Command, CommanderError, Option } from 'commander';
import { callCommand } from './commands/call.ts';
import { logsListCommand, logsShowCommand } from './commands/logs.ts';
import { serveCommand } from './commands/serve.ts';
import { toolsCommand } from './commands/tools.ts';
import { CommandFailure, EXIT, type ExitCode } from './exit-codes.ts';
import { parseHttpAddress, type HttpAddress } from './http-address.ts';
import type { Place } from './place.ts';
import { locateState, resolveRoot } from './state-folder.ts';
import { printable, writeTo, type Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

const STATUSES: readonly AgentLogEntry['status'][] = ['started', 'ok', 'error', 'denied', 'withheld'];

interface RootOption {
  readonly root: string;
}

type Action = (place: Place) => Promise<ExitCode>;

/** Everything a run of the program shares: who it speaks with, and what it ends with. */
interface Session {
  readonly terminal: Terminal;
  readonly stop: AbortSignal;
  exitCode: ExitCode;
}

/** Understands the arguments, runs one command and says what it ended with. Never throws, never shows a stack. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  const terminal = { input: process.stdin, output: process.stdout, status: process.stderr };
  // `devs logs | head`: a reader that has gone is told to the writer, and is no fault to show a stack of.
  for (const stream of [terminal.output, terminal.status]) stream.on('error', () => undefined);
  const session: Session = { terminal, stop: stopSignal(), exitCode: EXIT.ok };
  try {
    await createProgram(session).parseAsync([...args], { from: 'user' });
    return session.exitCode;
  } catch (cause) {
    return explain(cause, terminal);
  }
}

function createProgram(session: Session): Command {
  const program = new Command('devs')
    .description('The one guarded door between AI agents and their tools.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(devs --help shows what there is)')
    .addHelpText('after', EXAMPLES.devs);
  addServe(program, session);
  addCall(program, session);
  addTools(program, session);
  addLogs(program, session);
  return program;
}

function addServe(program: Command, session: Session): void {
  program
    .command('serve')
    .description('serve the tools over MCP: on stdio, or over HTTP with --http')
    .addOption(new Option('--http <[host:]port>', 'listen on this machine at /mcp').argParser(parseHttpAddress))
    .option('--no-auth', 'ask for no token over HTTP; Host and Origin are still checked')
    .addOption(rootOption())
    .addHelpText('after', EXAMPLES.serve)
    .action(async (options: RootOption & { http?: HttpAddress; auth: boolean }) =>
      run(session, options, (place) => serveCommand({ http: options.http, auth: options.auth }, place)),
    );
}

function addCall(program: Command, session: Session): void {
  program
    .command('call')
    .description('make one call through the whole gate; exit 0 ok, 1 tool error, 2 refused')
    .argument('<tool>', 'name of the tool')
    .argument('[json]', 'arguments as a JSON object; - reads them from standard input')
    .option('--json', 'print the whole result as JSON', false)
    .addOption(rootOption())
    .addHelpText('after', EXAMPLES.call)
    .action(async (tool: string, json: string | undefined, options: RootOption & { json: boolean }) =>
      run(session, options, (place) => callCommand([tool, json], options, place)),
    );
}

function addTools(program: Command, session: Session): void {
  program
    .command('tools')
    .description('list the tools with their source and labels')
    .option('--json', 'one JSON object a line', false)
    .addOption(rootOption())
    .addHelpText('after', EXAMPLES.tools)
    .action(async (options: RootOption & { json: boolean }) => run(session, options, (place) => toolsCommand(options, place)));
}

function addLogs(program: Command, session: Session): void {
  const logs = program.command('logs').description('read the call log').addHelpText('after', EXAMPLES.logs);
  logs
    .command('list', { isDefault: true })
    .description('the newest calls first')
    .addOption(new Option('--limit <n>', 'most calls to show').argParser(parseLimit).default(20))
    .option('--tool <name>', 'only calls of this tool')
    .option('--agent <id>', 'only calls of this agent')
    .addOption(new Option('--status <status>', 'only calls that ended so').choices([...STATUSES]))
    .option('--json', 'one JSON object a line', false)
    .addOption(rootOption())
    .action(async (options: RootOption & Parameters<typeof logsListCommand>[0]) =>
      run(session, options, (place) => logsListCommand(options, place)),
    );
  logs
    .command('show')
    .description('one call, whole')
    .argument('<id>', 'its id, or the first 8 or more characters of it')
    .option('--json', 'one JSON document', false)
    .addOption(rootOption())
    .action(async (id: string, options: RootOption & { json: boolean }) =>
      run(session, options, (place) => logsShowCommand(id, options, place)),
    );
}

function rootOption(): Option {
  return new Option('--root <dir>', 'the folder that the tools work on').default('.', 'the current folder');
}

function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1_000) throw new CommandFailure(EXIT.usage, `--limit ${text}: it is a whole number from 1 to 1000.`);
  return limit;
}

async function run(session: Session, options: RootOption, action: Action): Promise<void> {
  const root = await resolveRoot(options.root);
  const { DEVS_STATE_DIR, XDG_STATE_HOME } = process.env;
  const state = locateState(root, { DEVS_STATE_DIR, XDG_STATE_HOME });
  const { terminal, stop } = session;
  session.exitCode = await action({ root, state, config: DEFAULT_CONFIG, terminal, stop });
}

async function explain(cause: unknown, { status }: Terminal): Promise<ExitCode> {
  if (isRecord(cause) && cause['code'] === 'EPIPE') return EXIT.ok;
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
  return { exitCode: EXIT.internal, message: `unexpected: ${describeCause(cause)}` };
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && !(cause instanceof DevsError) ? cause.message : describeCause(cause);
}

/** Aborted by Ctrl-C, or by a supervisor that asks politely. A second time ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM'] as const;
  const stop = () => {
    for (const name of names) process.removeListener(name, stop);
    controller.abort();
  };
  for (const name of names) process.on(name, stop);
  return controller.signal;
}

const EXAMPLES = {
  devs: `
Examples:
  devs serve                                     MCP on stdio for the current folder
  devs serve --http 7337                         MCP over HTTP on this machine
  devs call read_file '{"path":"README.md"}'     one call through the gate
  devs logs                                      what was called

Exit codes: 64 the command line is wrong, 69 a port is taken, 78 the root or the state folder cannot be used.`,
  serve: `
Examples:
  devs serve --root ~/code/shop
  devs serve --http 127.0.0.1:7337`,
  call: `
Examples:
  devs call list_directory '{"path":"src"}'
  devs call read_file '{"path":"README.md","limit":200}' --json
  echo '{"path":"a.txt","content":"hello"}' | devs call write_file -`,
  tools: `
Examples:
  devs tools
  devs tools --json`,
  logs: `
Examples:
  devs logs list --limit 5 --status denied
  devs logs list --json
  devs logs show 0f8fad5b`,
};
