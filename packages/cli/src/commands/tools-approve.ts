import type { Command } from 'commander';
import { openControllingTerminal } from '../config/controlling-terminal.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { findSite, withPlaceOptions, type PlaceOptions, type Session, type Site } from '../session.ts';
import { PinsFile } from '../state/pins-file.ts';
import { printableLine, writeTo } from '../terminal/terminal.ts';
import { requireNamed } from './tools-diff.ts';
import { readIdentityKeys, withoutStale } from './tools-identities.ts';
import { describeChange, listPinned, type Pinned } from './tools-pinned.ts';

export interface ApproveOptions {
  readonly names: readonly string[];
  readonly all: boolean;
}

/** `devs tools approve` on the command line. */
export function addToolsApprove(tools: Command, session: Session): void {
  const command = tools
    .command('approve')
    .description('show what a server has changed, and ask on the terminal whether to approve it')
    .argument('[names...]', 'tools, or <server>/instructions')
    .option('--all', 'everything that has changed or is new', false);
  withPlaceOptions(command).action(async (names: readonly string[], options: PlaceOptions & { all: boolean }) => {
    session.exitCode = await toolsApproveCommand({ names, all: options.all }, await findSite(session, options));
  });
}

/** Asks on the controlling terminal, never on standard input: what is piped in is not an answer. What was shown is what is approved. */
export async function toolsApproveCommand({ names, all }: ApproveOptions, site: Pick<Site, 'state' | 'terminal' | 'stop' | 'request' | 'root'>): Promise<ExitCode> {
  if (all === names.length > 0) throw new CommandFailure(EXIT.usage, 'Name what to approve, or use --all. devs tools diff shows what has changed.');
  const pins = new PinsFile(site.state);
  const pinned = withoutStale(listPinned(await pins.read()), await readIdentityKeys(site));
  const named = all ? pinned : [...new Set(names.flatMap((name) => requireNamed(pinned, name)))];
  const unfit = named.filter(({ state }) => state === 'quarantined');
  for (const { name, reason = '' } of unfit) await writeTo(site.terminal.status, `${printableLine(`${name} cannot be approved: ${reason}`)}\n`);
  if (!all && unfit.length > 0) return EXIT.toolError;
  const asked = named.filter(({ state }) => state === 'changed' || state === 'new');
  if (asked.length === 0) {
    await writeTo(site.terminal.status, 'Nothing differs from what is pinned.\n');
    return EXIT.ok;
  }
  if (!(await isApproved(asked, site))) {
    await writeTo(site.terminal.status, 'Nothing is approved.\n');
    return EXIT.toolError;
  }
  await pins.approve(asked.map(({ approval }) => approval));
  await writeTo(site.terminal.status, `Approved: ${asked.map(({ name }) => printableLine(name)).join(', ')}. A running devs applies it when it next lists the tools, at the latest at its next start.\n`);
  return EXIT.ok;
}

async function isApproved(asked: readonly Pinned[], { stop }: Pick<Site, 'stop'>): Promise<boolean> {
  using asking = await openControllingTerminal();
  if (asking === undefined) {
    throw new CommandFailure(EXIT.configuration, 'There is no terminal to ask on, so nothing is approved. Review devs tools diff, and run this in your own terminal.');
  }
  await asking.show(asked.flatMap(describeChange).map(printableLine));
  const what = asked.length === 1 ? 'this' : `these ${String(asked.length)}`;
  const answer = await asking.ask(`Approve exactly ${what}? Type yes; anything else changes nothing: `, stop);
  return answer?.trim() === 'yes';
}
