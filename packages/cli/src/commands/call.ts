import { randomUUID } from 'node:crypto';
import { text as readAll } from 'node:stream/consumers';
import { ANONYMOUS, describeBlock, REFUSAL_META_KEY, type ToolResult, withFenceFirst } from '@devs/core';
import type { Command } from 'commander';
import { principalOfAccount } from '../state/account.ts';
import { compose } from '../compose.ts';
import { openSession } from '../servers/gateway.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printable, toJsonText, writeTo, type Terminal } from '../terminal/terminal.ts';

export interface CallOptions {
  readonly json: boolean;
}

/** `devs call` on the command line. */
export function addCall(program: Command, session: Session): void {
  const command = program
    .command('call')
    .description('make one call through the whole gate; exit 0 ok, 1 tool error, 2 refused')
    .argument('<tool>', 'name of the tool')
    .argument('[json]', 'arguments as a JSON object; - reads them from standard input')
    .option('--json', 'print the whole result as JSON', false)
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (tool: string, json: string | undefined, options: PlaceOptions & CallOptions) =>
    runInPlace(session, options, (place) => callCommand([tool, json], options, place)),
  );
}

/** One call through the whole gate, as any agent's. */
export async function callCommand(
  [toolName, json]: readonly [string, string | undefined],
  options: CallOptions,
  { root, state, config, logKeys, checkServer, isOfProject, terminal, stop }: Place,
): Promise<ExitCode> {
  const args = parseArguments(json === '-' ? await readInput(terminal, stop) : (json ?? '{}'));
  await using devs = await compose({ root, state, config, logKeys, checkServer, isOfProject });
  const context = { projectRoot: root, ...ANONYMOUS, agentId: `cli-${randomUUID().slice(0, 8)}` };
  const origin = { principal: principalOfAccount(), channel: 'cli' } as const;
  // A server that is slow to start holds up no tool of devs's own.
  const session = await openSession(devs, stop, devs.registry.getTool(toolName) === undefined);
  const result = await devs.proxy.execute({ toolName, args, context, origin, signal: stop, ...session });
  await show(result, options, terminal);
  return exitCodeOf(result);
}

async function readInput({ input }: Terminal, stop: AbortSignal): Promise<string> {
  stop.addEventListener('abort', () => input.destroy(), { once: true });
  try {
    return await readAll(input);
  } catch (cause) {
    throw new CommandFailure(EXIT.toolError, 'Stopped before the arguments were read.', cause);
  }
}

function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new CommandFailure(EXIT.usage, `The arguments are not JSON. Example: devs call read_file '{"path":"README.md"}'`, cause);
  }
}

async function show(result: ToolResult, { json }: CallOptions, { output, status }: Terminal): Promise<void> {
  if (json) return writeTo(output, `${toJsonText(ordered(result))}\n`);
  const stream = result.isError === true ? status : output;
  for (const block of result.content) {
    const text = describeBlock(block);
    const shown = isTerminal(stream) ? printable(text) : text;
    await writeTo(stream, shown.endsWith('\n') ? shown : `${shown}\n`);
  }
}

function ordered({ structuredContent, ...result }: ToolResult): ToolResult {
  return structuredContent === undefined ? result : { ...result, structuredContent: withFenceFirst(structuredContent) };
}

function exitCodeOf({ isError, _meta }: ToolResult): ExitCode {
  if (_meta !== undefined && REFUSAL_META_KEY in _meta) return EXIT.refused;
  return isError === true ? EXIT.toolError : EXIT.ok;
}

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

const EXAMPLES = `
Examples:
  devs call list_directory '{"path":"src"}'
  devs call read_file '{"path":"README.md","limit":200}' --json
  echo '{"path":"a.txt","content":"hello"}' | devs call write_file -`;
