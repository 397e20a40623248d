import type { RefusedTool } from '@devs/core';
import type { Command } from 'commander';
import { compose } from '../compose.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printableLine, toJsonText, writeTo } from '../terminal.ts';

export interface ToolsOptions {
  readonly json: boolean;
}

/** `devs tools` on the command line. */
export function addTools(program: Command, session: Session): void {
  const command = program
    .command('tools')
    .description('list the tools with their source and labels')
    .option('--json', 'one JSON object a line', false)
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (options: PlaceOptions & ToolsOptions) =>
    runInPlace(session, options, (place) => toolsCommand(options, place)),
  );
}

/** Lists the tools as the gate knows them: with source, labels and whether they change anything; then those that are not offered, and why. */
export async function toolsCommand({ json }: ToolsOptions, { root, state, config, logKeys, terminal }: Place): Promise<ExitCode> {
  await using devs = await compose({ root, state, config, logKeys });
  for (const { name, definition, source, labels, effects } of devs.registry.listTools()) {
    const { description, inputSchema } = definition;
    const line = json
      ? toJsonText({ name, source, labels, effects, description, inputSchema })
      : [name.padEnd(18), source.padEnd(10), effects ? 'changes things' : 'read only', labels.join(',')].map(printableLine).join('  ').trimEnd();
    await writeTo(terminal.output, `${line}\n`);
  }
  for (const refused of devs.registry.listRefused()) await writeTo(terminal.output, `${json ? toJsonText({ ...refused, refused: true }) : toRefusedLine(refused)}\n`);
  return EXIT.ok;
}

function toRefusedLine({ name, source, reason }: RefusedTool): string {
  return [name.padEnd(18), source.padEnd(10), `not offered: ${reason}`].map(printableLine).join('  ');
}

const EXAMPLES = `
Examples:
  devs tools
  devs tools --json`;
