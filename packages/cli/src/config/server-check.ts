import { DevsError, type McpServerConfig } from '@devs/core';
import type { Variables } from './expand.ts';
import type { Layer, LoadedConfig } from './loaded-config.ts';
import { listServerFiles, namesOfServerFiles, serversIn, type ServerFile } from './server-files.ts';
import { layerOf } from './server-origin.ts';

/** Throws `UPSTREAM_UNAVAILABLE` with what to do, for a server whose files are not the ones that were trusted. */
export type ServerCheck = (name: string) => Promise<void>;

export interface ServerCheckPlace {
  readonly root: string;
  readonly variables: Variables;
  /** What a person types to look at the file and trust it. */
  readonly trustCommand: (file: string) => string;
}

/**
 * To be asked right before a server is started, each time. A server of the operator's own files passes: whoever wrote
 * those may change what they run. Between the look and the start there is a moment; a box closes it, this cannot.
 */
export function createServerCheck({ layers, sources }: LoadedConfig, { trustCommand, ...place }: ServerCheckPlace): ServerCheck {
  return async (name) => {
    const layer = layerOf(name, layers);
    if (layer?.role !== 'project' || sources.kind !== 'layers') return;
    const server = serverOf(name, layer);
    if (server.command === undefined) return;
    const record = sources.project.find(({ path }) => path === layer.path)?.record;
    const trusted = record?.servers?.find((each) => each.name === name)?.files;
    const problem = trusted === undefined ? NOT_NOTED : await describeProblem(trusted, async () => listServerFiles(server, place), layer.trustedAt);
    if (problem !== undefined) throw refused(name, `${problem} Review it, then: ${trustCommand(layer.path)}`);
  };
}

/** The servers of a project's file that would not be started now, and why. */
export async function listRefusedServers(loaded: LoadedConfig, place: ServerCheckPlace): Promise<readonly string[]> {
  const check = createServerCheck(loaded, place);
  const names = Object.entries(loaded.config.mcpServers).flatMap(([name, { disabled }]) => (disabled === true ? [] : [name]));
  const refusals = await Promise.all(names.map(async (name) => check(name).then(() => [], (cause: unknown) => (DevsError.is(cause) ? [cause.sentence] : []))));
  return refusals.flat();
}

/**
 * Names that tools must not write: of files in the root that servers of the operator's own files run. Nobody has hashed
 * those, so an agent that may write in the root could run what it likes by them.
 */
export async function listRunNames({ layers }: Pick<LoadedConfig, 'layers'>, place: Omit<ServerCheckPlace, 'trustCommand'>): Promise<readonly string[]> {
  const own = layers.filter(({ role }) => role !== 'project').flatMap(({ values }) => serversIn(values));
  const names = await Promise.all(own.map(async ([, server]) => namesOfServerFiles(server, place)));
  return [...new Set(names.flat())];
}

/** Of a record that an earlier devs wrote, or of a server that was refused when its file was trusted. */
const NOT_NOTED = 'what it runs in the project was not recorded when its file was trusted.';

async function describeProblem(trusted: readonly ServerFile[], list: () => Promise<readonly ServerFile[]>, trustedAt: string | undefined) {
  try {
    const difference = describeDifference(trusted, await list(), trustedAt);
    return difference && `it runs ${difference}.`;
  } catch (cause) {
    return DevsError.is(cause) ? cause.sentence : 'its files cannot be checked.';
  }
}

/**
 * Both ways: a file that is gone is not run, and something else is. With `server.mjs` removed, Node takes a folder of that
 * name, or `server.mjs.js`.
 */
function describeDifference(trusted: readonly ServerFile[], found: readonly ServerFile[], trustedAt = ''): string | undefined {
  const [before, now] = [byPath(trusted), byPath(found)];
  for (const file of trusted) {
    const other = now.get(file.path);
    const since = `since it was trusted on ${trustedAt}`;
    if (other === undefined) return `${JSON.stringify(file.path)}, which is gone, or no regular file any more, ${since}`;
    if (other.sha256 !== file.sha256) return `${JSON.stringify(file.path)}, which has changed ${since}`;
    if (other.real !== file.real) return `${JSON.stringify(file.path)}, which leads to another place ${since}`;
  }
  const more = found.find(({ path }) => !before.has(path));
  return more && `${JSON.stringify(more.path)}, which was not there, or was not run, when the file was trusted`;
}

function byPath(files: readonly ServerFile[]): ReadonlyMap<string, ServerFile> {
  return new Map(files.map((file) => [file.path, file]));
}

function serverOf(name: string, { values }: Layer): McpServerConfig {
  return serversIn(values).find(([other]) => other === name)?.[1] ?? {};
}

function refused(name: string, problem: string): DevsError {
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence: `The server ${JSON.stringify(name)} is not started: ${problem}` });
}
