import { DevsError, isRecord, type McpServerConfig } from '@devs/core';
import type { Variables } from './expand.ts';
import type { Layer, LoadedConfig } from './load-config.ts';
import { listServerFiles, namesOfServerFiles, serversIn } from './server-files.ts';

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
    const record = sources.project.find(({ path }) => path === layer.path)?.record;
    const trusted = new Map(record?.files?.map(({ path, sha256 }) => [path, sha256]));
    for (const { path, sha256 } of await listFilesOf(name, serverOf(name, layer), place)) {
      if (trusted.get(path) === sha256) continue;
      const what = trusted.has(path) ? `has changed since it was trusted on ${layer.trustedAt ?? ''}` : 'was not there, or was not run, when the file was trusted';
      throw refused(name, `it runs ${JSON.stringify(path)}, which ${what}. Look at it, then: ${trustCommand(layer.path)}`);
    }
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

/** A server is one value: the last file that names it is where all of it comes from. */
function layerOf(name: string, layers: readonly Layer[]): Layer | undefined {
  return layers.findLast(({ values }) => isRecord(values['mcpServers']) && Object.hasOwn(values['mcpServers'], name));
}

function serverOf(name: string, { values }: Layer): McpServerConfig {
  return serversIn(values).find(([other]) => other === name)?.[1] ?? {};
}

async function listFilesOf(name: string, server: McpServerConfig, place: Omit<ServerCheckPlace, 'trustCommand'>) {
  try {
    return await listServerFiles(server, place);
  } catch (cause) {
    throw refused(name, DevsError.is(cause) ? cause.sentence : 'its files cannot be looked at.', cause);
  }
}

function refused(name: string, problem: string, cause?: unknown): DevsError {
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence: `The server ${JSON.stringify(name)} is not started: ${problem}`, cause });
}
