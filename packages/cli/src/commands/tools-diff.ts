import type { Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { findSite, withPlaceOptions, type PlaceOptions, type Session, type Site } from '../session.ts';
import { PinsFile } from '../state/pins-file.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { readIdentityKeys, withoutStale } from './tools-identities.ts';
import { describeChange, listPinned, type Pinned } from './tools-pinned.ts';

/** `devs tools diff` on the command line. */
export function addToolsDiff(tools: Command, session: Session): void {
  const command = tools
    .command('diff')
    .description('show how servers’ definitions differ from the pins; exit 1 when one does')
    .argument('[name]', 'a tool, or <server>/instructions; default: everything that differs')
    .option('--json', 'one JSON object a line', false);
  withPlaceOptions(command).action(async (name: string | undefined, options: PlaceOptions & { json: boolean }) => {
    session.exitCode = await toolsDiffCommand({ name, json: options.json }, await findSite(session, options));
  });
}

/** Shows what was seen when the servers were started last; starts none. As `diff` ends, so does this. */
export async function toolsDiffCommand({ name, json }: { name: string | undefined; json: boolean }, site: Pick<Site, 'state' | 'terminal' | 'request' | 'root'>): Promise<ExitCode> {
  const { state, terminal } = site;
  const pinned = withoutStale(listPinned(await new PinsFile(state).read()), await readIdentityKeys(site));
  const asked = name === undefined ? pinned.filter(({ state: now }) => now !== 'pinned') : requireNamed(pinned, name);
  for (const each of asked) {
    if (each.state === 'pinned') await writeTo(terminal.status, `${printableLine(each.name)} is as it was pinned on ${each.pinnedAt}.\n`);
    else await writeTo(terminal.output, json ? `${toJsonDiff(each)}\n` : `${describeChange(each).map(printableLine).join('\n')}\n`);
  }
  if (asked.length === 0) await writeTo(terminal.status, 'Nothing differs from what is pinned.\n');
  return asked.some(({ state: now }) => now === 'changed' || now === 'quarantined') ? EXIT.toolError : EXIT.ok;
}

/** All of one name: a server that another one took the place of may have had a tool of the same. */
export function requireNamed(pinned: readonly Pinned[], name: string): readonly Pinned[] {
  const found = pinned.filter((each) => each.name === name);
  if (found.length > 0) return found.some(({ state }) => state !== 'pinned') ? found.filter(({ state }) => state !== 'pinned') : found;
  throw new CommandFailure(EXIT.toolError, `Nothing named ${JSON.stringify(printableLine(name))} is pinned. devs tools lists all tools.`);
}

function toJsonDiff({ name, entry, state, before, after, pinnedAt }: Pinned): string {
  return toJsonText({ name, source: entry, state, pinnedAt, before: before ?? null, after });
}
