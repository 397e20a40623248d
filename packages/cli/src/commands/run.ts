import { constants } from 'node:os';
import path from 'node:path';
import { DevsError } from '@devs/core';
import { serveOverStdio, UpstreamServer, UpstreamTools, type ChildExit } from '@devs/mcp';
import { readMoreTool } from '@devs/tools';
import type { Command } from 'commander';
import { compose, type Composition } from '../compose.ts';
import { EXIT } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { secretsOf } from '../server-secrets.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printableLine, writeTo } from '../terminal.ts';

/** What shells end with when a command cannot be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
/** And, added to its number, when a signal ended it. */
const SIGNAL_BASE = 128;

/** `devs run` on the command line. */
export function addRun(program: Command, session: Session): void {
  const command = program
    .command('run')
    .description('guard one MCP server on stdio: put it in front of the server’s command; exit code is the server’s')
    .usage('[options] -- <command...>')
    .argument('<command...>', 'the server’s command, as it was')
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (words: readonly string[], options: PlaceOptions) =>
    runInPlace(session, options, (place) => runCommand(words, place)),
  );
}

/** Serves the tools of one server through the gate until the client goes away. Gives the code that the server ended with. */
export async function runCommand([command = '', ...args]: readonly string[], place: Place): Promise<number> {
  const { root, state, config, logKeys, terminal, stop } = place;
  await using devs = await compose({
    root,
    state,
    config,
    logKeys,
    // What is cut off an answer of the server can be read on, as with devs's own tools.
    tools: [readMoreTool],
    // The server gets all of the environment, as it would without devs: the secrets in it are handed on by devs.
    injectedSecrets: secretsOf([{ env: toEnvironment(process.env), args }]),
    face: { introduction: '', toolsMayChange: true },
  });
  await writeTo(terminal.status, `devs guards ${printableLine(command)}, which runs unconfined, as you would run it. Call log: ${state.logFile}\n`);
  // Asked to stop before it began.
  if (stop.aborted) return EXIT.ok;
  const upstream = createUpstream([command, ...args], devs, config.mcp);
  const running = serveOverStdio(devs.server, {
    input: terminal.input,
    output: terminal.output,
    logger: devs.logger,
    maxMessageBytes: config.mcp.maxMessageBytes,
    opening: async (hello) => {
      try {
        await upstream.start(hello);
      } catch (cause) {
        if (DevsError.is(cause)) await writeTo(terminal.status, `devs: ${printableLine(cause.sentence)}\n`).catch(() => undefined);
        throw cause;
      }
    },
  });
  const close = () => void Promise.all([running.close(), upstream.end()]);
  if (stop.aborted) close();
  else stop.addEventListener('abort', close, { once: true });
  await running.closed;
  return toExitCode(await upstream.end());
}

function createUpstream(
  [command = '', ...args]: readonly string[],
  { registry, server, logger }: Composition,
  { maxMessageBytes }: Place['config']['mcp'],
): UpstreamServer {
  const source = path.basename(command).replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 64);
  // As it would be without devs: its environment, its working folder, its standard error.
  const place = { command, args, cwd: process.cwd(), env: process.env };
  const tools = new UpstreamTools({ registry, source, logger, call: async (...asked) => upstream.call(...asked) });
  const upstream = new UpstreamServer({
    ...place,
    source,
    logger,
    maxMessageBytes,
    onTools: async (listed) => {
      // The server's tools are what was asked for: one of theirs takes the name.
      if (listed.some((tool) => 'definition' in tool && tool.name === readMoreTool.definition.name)) forgetOwn(registry);
      if (await tools.update(listed)) server.announceToolChange();
    },
  });
  return upstream;
}

/** What is set in it. */
function toEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function forgetOwn(registry: Composition['registry']): void {
  const { name } = readMoreTool.definition;
  if (registry.getTool(name)?.source === readMoreTool.source) registry.unregister(name);
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
In .mcp.json, the server's command moves behind devs:
  "command": "devs", "args": ["run", "--", "npx", "-y", "some-mcp-server"]

Exit codes: the server's own; 128 and the number of the signal that ended it; 127 when the command was not
found, 126 when it cannot be executed.`;
