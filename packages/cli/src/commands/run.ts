import { constants } from 'node:os';
import { DevsError } from '@devs/core';
import { serveOverStdio, type ChildExit } from '@devs/mcp';
import { readMoreTool } from '@devs/tools';
import type { Command } from 'commander';
import { compose, type Composition } from '../compose.ts';
import { EXIT } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { secretsOf } from '../secrets/server-secrets.ts';
import { GuardedServer, requireGateway } from '../servers/guarded-server.ts';
import { nameOfServer } from '../servers/name-of-server.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printableLine, writeTo } from '../terminal/terminal.ts';

/** What shells end with when a command cannot be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
/** And, added to its number, when a signal ended it. */
const SIGNAL_BASE = 128;

/** `devs run` on the command line. */
export function addRun(program: Command, session: Session): void {
  const command = program
    .command('run')
    .description('guard one MCP server on stdio: write it before the server’s command; exits with the server’s code')
    .usage('[options] -- <command...>')
    .argument('<command...>', 'the server’s command, unchanged')
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (words: readonly string[], options: PlaceOptions) =>
    runInPlace(session, options, (place) => runCommand(words, place)),
  );
}

/** Serves one server through the gate until the client goes away. Gives the code that the server ended with. */
export async function runCommand(words: readonly string[], place: Place): Promise<number> {
  const { config, terminal, stop } = place;
  const [command = ''] = words;
  const guarded = new GuardedServer(nameOfServer(words));
  await using devs = await composeAround(words, guarded, place);
  const held = config.sandbox.upstreams === 'none' ? ', which runs unconfined, with your own permissions' : '';
  await writeTo(terminal.status, `devs guards ${printableLine(command)}${held}. Call log: ${place.state.logFile}\n`);
  // Asked to stop before it began.
  if (stop.aborted) return EXIT.ok;
  const gateway = requireGateway(devs.gateway);
  const { policy, logger } = devs;
  const running = serveOverStdio(devs.server, {
    input: terminal.input,
    output: terminal.output,
    logger,
    maxMessageBytes: config.mcp.maxMessageBytes,
    opening: async (info, key) => {
      try {
        await guarded.open(info, { gateway, policy, key, signal: stop });
      } catch (cause) {
        if (DevsError.is(cause)) await writeTo(terminal.status, `devs: ${printableLine(cause.sentence)}\n`).catch(() => undefined);
        throw cause;
      }
    },
  });
  const close = () => void running.close();
  if (stop.aborted) close();
  else stop.addEventListener('abort', close, { once: true });
  await running.closed;
  await gateway.clients.endAll();
  return toExitCode(guarded.lastExit);
}

async function composeAround([command = '', ...args]: readonly string[], guarded: GuardedServer, { root, state, config, logKeys }: Place): Promise<Composition> {
  return compose({
    root,
    state,
    config,
    logKeys,
    // What is cut off an answer of the server can be read on, as with devs's own tools.
    tools: [readMoreTool],
    // The server gets all of the environment, as it would without devs: the secrets in it are handed on by devs.
    injectedSecrets: secretsOf([{ env: toEnvironment(process.env), args }]),
    // Its user has named it here and now.
    checkServer: undefined,
    // And runs where they are.
    isOfProject: () => true,
    servers: {
      servers: { [guarded.name]: { command, args, namespace: '' } },
      // As it would be without devs: its environment, its working folder, its standard error.
      environment: process.env,
      root: process.cwd(),
      onUpstream: (upstream) => guarded.attach(upstream),
      // The server's tools are what was asked for: one of theirs takes the name.
      yielding: [readMoreTool.definition.name],
    },
    profile: () => guarded.profile,
  });
}

/** What is set in it. */
function toEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function toExitCode(exit: ChildExit | undefined): number {
  switch (exit?.kind) {
    case undefined:
      return EXIT.ok;
    case 'ended':
      return exit.code;
    case 'killed':
      return SIGNAL_BASE + constants.signals[exit.signal];
    case 'not found':
      return NOT_FOUND;
    default:
      return NOT_EXECUTABLE;
  }
}

const EXAMPLES = `
In .mcp.json, put devs in front of the server's command:
  "command": "devs", "args": ["run", "--", "npx", "-y", "some-mcp-server"]

Exit codes: the server's own; 128 plus the number of the signal that ended it; 127 when the command was not
found, 126 when it cannot be executed.`;
