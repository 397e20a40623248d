import { Command } from 'commander';
import { addAgent } from './commands/agent.ts';
import { addCall } from './commands/call.ts';
import { addConfig } from './commands/config.ts';
import { addDemo } from './commands/demo.ts';
import { addLogs } from './commands/logs.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addTools } from './commands/tools.ts';
import { EXIT } from './exit-codes.ts';
import { explain } from './explain.ts';
import type { AddCommand, Session } from './session.ts';
import { VERSION } from './version.ts';

/** Each command lives in its own file: what it is told, and what it does. */
const COMMANDS: readonly AddCommand[] = [addServe, addRun, addAgent, addCall, addTools, addLogs, addConfig, addDemo];

/** Understands the arguments, runs one command and says what it ended with. Never throws, never shows a stack. */
export async function runProgram(args: readonly string[]): Promise<number> {
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
    .addHelpText('after', EXAMPLES);
  for (const add of COMMANDS) add(program, session);
  return program;
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

const EXAMPLES = `
Examples:
  devs serve                                     MCP on stdio for the current folder
  devs serve --http 7337                         MCP over HTTP on this machine
  devs run -- npx -y some-mcp-server             the same server, guarded
  devs agent "what does this project do?"        a model with these tools
  devs call read_file '{"path":"README.md"}'     one call through the gate
  devs logs                                      what was called

Exit codes: 64 the command line is wrong, 69 a port is taken, 78 the root, the state folder or the
configuration cannot be used.`;
