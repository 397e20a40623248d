import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { EXIT } from './exit-codes.ts';
import type { AddCommand, Session } from './session.ts';
import { explain } from './terminal/explain.ts';
import { VERSION } from './version.ts';

/** Each command lives in its own file: what it is told, and what it does. What it needs is loaded when it is asked for. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import('./commands/serve.ts')).addServe,
  run: async () => (await import('./commands/run.ts')).addRun,
  agent: async () => (await import('./commands/agent.ts')).addAgent,
  call: async () => (await import('./commands/call.ts')).addCall,
  tools: async () => (await import('./commands/tools.ts')).addTools,
  logs: async () => (await import('./commands/logs.ts')).addLogs,
  tokens: async () => (await import('./commands/tokens.ts')).addTokens,
  config: async () => (await import('./commands/config.ts')).addConfig,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  demo: async () => (await import('./commands/demo.ts')).addDemo,
};

/** Understands the arguments, runs one command and says what it ended with. Never throws, never shows a stack. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const terminal = { input: process.stdin, output: process.stdout, status: process.stderr };
  // `devs logs | head`: a reader that has gone is told to the writer, and is no fault to show a stack of.
  for (const stream of [terminal.output, terminal.status]) stream.on('error', () => undefined);
  const session: Session = { terminal, stop: stopSignal(), exitCode: EXIT.ok };
  try {
    const program = await createProgram(args[0] ?? '', session);
    keepHeapSmall();
    await program.parseAsync([...args], { from: 'user' });
    return session.exitCode;
  } catch (cause) {
    return explain(cause, terminal);
  }
}

/** With only the command that is asked for, if it is one, and none for the version: to load them all would be half of a start. */
async function createProgram(asked: string, session: Session): Promise<Command> {
  const program = new Command('devs')
    .description('The one guarded door between AI agents and their tools.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(devs --help shows what there is)')
    .addHelpText('after', EXAMPLES);
  if (['--version', '-V'].includes(asked)) return program;
  const names = Object.hasOwn(COMMANDS, asked) ? [asked] : Object.keys(COMMANDS);
  for (const name of names) (await COMMANDS[name]?.())?.(program, session);
  return program;
}

/**
 * By itself V8 lets a small heap grow fourfold before it looks for garbage in it: a devs that runs all day beside an editor held
 * 350 MB for 35. Measured: as quick, and flat from the ten thousandth call on (docs/decisions/0042-memory.md). Set once the command
 * is loaded: what loading leaves stays, and to look for garbage in it took a tenth of a start.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=60');
}

/**
 * Aborted by Ctrl-C, by a supervisor that asks politely, or when the terminal closes. A second time ends the process at once,
 * but not when it is the terminal: the kernel and the shell each send a SIGHUP for one that closes. A process that ended there
 * would leave what a running command has planted.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM'] as const;
  const stop = () => {
    for (const name of names) process.removeListener(name, stop);
    controller.abort();
  };
  for (const name of [...names, 'SIGHUP'] as const) process.on(name, stop);
  return controller.signal;
}

const EXAMPLES = `
Examples:
  devs serve                                     MCP on stdio for the current folder
  devs serve --http 7337                         MCP over HTTP on this machine
  devs run -- npx -y some-mcp-server             the same server, guarded
  devs agent "what does this project do?"        a model with these tools
  devs call read_file '{"path":"README.md"}'     one call through the gate
  devs logs                                      what was called
  devs doctor                                    what is confined here, and what is not

Exit codes: 0 done, 1 the tool failed or nothing was found, 2 devs refused the call, 64 the command
line is wrong, 69 a port is in use, Node is too old or an API does not answer, 70 an internal error of devs, 78 the root,
the state folder, the call log or the configuration cannot be used, 130 stopped from the keyboard.
\`devs logs verify\` has its own (0 intact, 1 tampered, 2 incomplete or unknown); \`devs run\` exits with the server's code.`;
