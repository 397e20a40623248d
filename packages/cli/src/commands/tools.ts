import { isRecord, type RefusedTool, type RegisteredTool } from '@devs/core';
import type { PooledInstances, ServerState } from '@devs/mcp';
import type { Command } from 'commander';
import { compose, type Composition } from '../compose.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { toTableLines } from '../terminal/table.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { PinsFile } from '../state/pins-file.ts';
import { addToolsApprove } from './tools-approve.ts';
import { addToolsDiff } from './tools-diff.ts';
import { identityKeys } from './tools-identities.ts';
import { listPinned, type Pinned } from './tools-pinned.ts';

export interface ToolsOptions {
  readonly json: boolean;
}

/** `devs tools` on the command line. */
export function addTools(program: Command, session: Session): void {
  const tools = program.command('tools').description('list the tools, and review what servers have changed').addHelpText('after', EXAMPLES);
  const list = tools
    .command('list', { isDefault: true })
    .description('list the tools with their source, labels and pins; starts the upstream servers')
    .option('--json', 'one JSON object a line', false);
  withPlaceOptions(list).action(async (options: PlaceOptions & ToolsOptions) => runInPlace(session, options, (place) => toolsCommand(options, place)));
  addToolsDiff(tools, session);
  addToolsApprove(tools, session);
}

/** What a line of the list is about. */
interface ToolLine {
  readonly name: string;
  readonly source: string;
  /** `pinned`, `new`, `changed`, `quarantined` or `not pinned` of a server's; undefined of devs's own. */
  readonly state: string | undefined;
  readonly tool?: RegisteredTool;
  /** Why nobody is offered it. */
  readonly reason?: string;
}

/** Lists the tools as clients get them, then those that nobody is offered, and why; last the servers that are not there. */
export async function toolsCommand({ json }: ToolsOptions, { root, state, config, logKeys, checkServer, isOfProject, terminal, stop }: Place): Promise<ExitCode> {
  await using devs = await compose({ root, state, config, logKeys, checkServer, isOfProject });
  const instances = await openInstances(devs, stop);
  const pinned = listPinned(await new PinsFile(state).read());
  const keys = identityKeys(config.mcpServers, root);
  const pinOf: PinOf = (source, name) => pinned.find((each) => each.name === name && each.approval.key === keys.get(source));
  const lines = byServer(listLines(devs, instances, pinOf));
  for (const line of json ? lines.map(toJsonLine) : toTableLines(lines.map(toCells))) await writeTo(terminal.output, `${line}\n`);
  for (const server of instances?.states ?? []) {
    if (server.state === 'ready') continue;
    await writeTo(terminal.output, `${json ? toJsonText({ server: server.server, state: server.state, reason: server.reason }) : toServerLine(server)}\n`);
  }
  return EXIT.ok;
}

async function openInstances({ gateway }: Composition, stop: AbortSignal): Promise<PooledInstances | undefined> {
  if (gateway === undefined) return undefined;
  const instances = gateway.pool.open({ info: OWN_INFO, onEvent: () => undefined, ask: async () => ({}) });
  await instances.ready(stop);
  return instances;
}

const OWN_INFO = { era: 'legacy', protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'devs', version: '1' } } as const;

/** What is pinned of a tool of an entry, as the entry is now: what one of the same name was before says nothing of it. */
type PinOf = (source: string, name: string) => Pinned | undefined;

function listLines({ registry, gateway }: Composition, instances: PooledInstances | undefined, pinOf: PinOf): readonly ToolLine[] {
  const names = gateway?.pool.names ?? [];
  const offered = registry.listTools().filter((tool) => tool.kind !== 'upstream' || instances?.offers(tool) === true);
  const lines = offered.map((tool): ToolLine => {
    const state = pinOf(tool.source, tool.name)?.state ?? 'not pinned';
    return { name: tool.name, source: tool.source, state: tool.kind === 'upstream' ? state : undefined, tool };
  });
  // As this client's instances list them.
  const listed = names.flatMap((entry) => [...(instances?.part(entry)?.server.tools ?? [])].map(([name, { isChanged }]) => ({ entry, name, isChanged })));
  const changed = listed.flatMap(({ entry, name, isChanged }): readonly ToolLine[] => {
    if (!isChanged) return [];
    const { state, reason } = pinOf(entry, name) ?? { state: 'changed', reason: undefined };
    return [{ name, source: entry, state, reason: `it has changed since it was pinned: devs tools diff ${name}${reason === undefined ? '' : `; ${reason}`}` }];
  });
  const refused = registry.listRefused().map(({ name, source, code, reason }: RefusedTool): ToolLine => {
    return { name, source, state: instances?.part(source) === undefined ? undefined : 'quarantined', reason: reason.startsWith(code) ? reason : `${code}: ${reason}` };
  });
  return [...lines, ...changed, ...refused];
}

/** The tools of devs first, then those of each server, with what it has and nobody is offered. */
function byServer(lines: readonly ToolLine[]): readonly ToolLine[] {
  return [...Map.groupBy(lines, ({ source }) => source).values()].flat();
}

function toCells({ name, source, state, tool, reason }: ToolLine): readonly string[] {
  const traits = tool === undefined ? [`not offered: ${reason ?? ''}`] : [tool.effects ? 'changes things' : 'read only', tool.labels.join(',')];
  return [name, source, ...traits, ...(state === undefined ? [] : [state])];
}

function toJsonLine({ name, source, state, tool, reason }: ToolLine): string {
  const pinned = state === undefined ? {} : { state };
  if (tool === undefined) return toJsonText({ name, source, ...pinned, reason, refused: true });
  const { labels, effects, definition } = tool;
  const { description, inputSchema } = definition;
  return toJsonText({ name, source, labels, effects, ...pinned, description, inputSchema: isRecord(inputSchema) ? inputSchema : {} });
}

function toServerLine({ server, state, reason }: ServerState): string {
  return printableLine(`${server}: ${state === 'starting' ? 'still starting' : `not there: ${reason ?? ''}`}`);
}

const EXAMPLES = `
Examples:
  devs tools
  devs tools --json
  devs tools diff github__create_issue       the definition now, and the pinned one
  devs tools approve github__create_issue    review it, and allow calls again`;
