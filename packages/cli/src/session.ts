import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DevsError } from '@devs/core';
import { Option, type Command } from 'commander';
import { loadConfig } from './config/load-config.ts';
import { describeNotes, trustCommandFor } from './config/notes.ts';
import { createServerCheck } from './config/server-check.ts';
import { isOfProject } from './config/server-origin.ts';
import type { ConfigRequest } from './config/sources.ts';
import { checkHeadsFile } from './heads-file.ts';
import { locateLogKeys } from './log-keys.ts';
import type { Place } from './place.ts';
import { locateState, resolveRoot } from './state/state-folder.ts';
import { writeTo, type Terminal } from './terminal/terminal.ts';
import { announceFiles } from './watched.ts';

/** Everything a run of the program shares: who it speaks with, and what it ends with. */
export interface Session {
  readonly terminal: Terminal;
  readonly stop: AbortSignal;
  /** One of devs's own, or that of the server that `devs run` guards. */
  exitCode: number;
}

/** Adds one command to the program. */
export type AddCommand = (program: Command, session: Session) => void;

/** What a command does. */
export type PlaceAction = (place: Place) => Promise<number>;

/** What every command is told about where it works. */
export interface PlaceOptions {
  readonly root: string;
  readonly config?: string;
}

/** A place before anything has configured it. */
export type Site = Omit<Place, 'config'> & { readonly request: ConfigRequest };

/** `--root` and `--config`, for every command. */
export function withPlaceOptions(command: Command): Command {
  return command
    .addOption(new Option('--root <dir>', 'the folder that the tools work on').default(CURRENT, 'the current folder'))
    .addOption(new Option('--config <file>', 'the configuration; one inside the project must be trusted'));
}

const CURRENT = '.';

/** Clients start their servers in `/`, or in the home folder: nobody who says nothing has meant to hand out all of it. */
function refuseWhole(root: string): void {
  if (root !== path.parse(root).root && root !== realHome()) return;
  const sentence = `devs would work on all of ${JSON.stringify(root)}. Name a project folder with --root <dir>; or, if you mean all of it, ${JSON.stringify(root)} itself.`;
  throw new DevsError('CONFIG_INVALID', { sentence });
}

function realHome(): string {
  try {
    return realpathSync(os.homedir());
  } catch {
    return os.homedir();
  }
}

/** Finds the place that the options name. */
export async function findSite({ terminal, stop }: Session, { root: named, config }: PlaceOptions): Promise<Site> {
  const root = await resolveRoot(named);
  if (named === CURRENT) refuseWhole(root);
  const { DEVS_STATE_DIR, XDG_STATE_HOME } = process.env;
  const state = locateState(root, { DEVS_STATE_DIR, XDG_STATE_HOME });
  announceFiles([state.logFile]);
  const request = { root, state, named: config, variables: process.env };
  return { root, state, logKeys: await locateLogKeys(request), terminal, stop, request };
}

/** Runs a command where the options say, under the configuration that is in force there; says what a person must know of it. */
export async function runInPlace(session: Session, options: PlaceOptions, action: PlaceAction): Promise<void> {
  const { request, ...site } = await findSite(session, options);
  const loaded = await loadConfig(request);
  for (const note of await describeNotes(loaded, site.root)) await writeTo(session.terminal.status, `${note}\n`);
  const trustCommand = (file: string) => trustCommandFor(file, site.root);
  const checkServer = createServerCheck(loaded, { root: site.root, variables: request.variables, trustCommand });
  const place = { ...site, config: loaded.config, checkServer, isOfProject: (server: string) => isOfProject(server, loaded) };
  await checkHeadsFile(place);
  session.exitCode = await action(place);
}

/** The same for a command that only reads what is there: no key changes what it does, so there is nothing to say of them. */
export async function runReading(session: Session, options: PlaceOptions, action: PlaceAction): Promise<void> {
  const { request, ...site } = await findSite(session, options);
  const { config } = await loadConfig(request);
  session.exitCode = await action({ ...site, config });
}
