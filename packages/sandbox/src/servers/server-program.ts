import { realpathSync } from 'node:fs';
import path from 'node:path';
import { DevsError, type Mount } from '@devs/core';
import { installationOf, isOpen, type ToolchainPlace } from '../commands/toolchains.ts';
import { findProgram } from '../confinement/find-program.ts';
import { isWithin } from '../files/is-within.ts';
import { isOfSystem, ownPlacesInSystem } from '../files/system-folders.ts';
import { refuseBox, type ServerOrder } from './server-order.ts';

/** The program that a server's command names, and what of the machine it takes to run it. */
export interface ServerProgram {
  /** Absolute, as it is called in the box. */
  readonly file: string;
  readonly mounts: readonly Mount[];
}

/**
 * Finds a server's program, and shows it: alone, or the installation that it is a part of. Not where that is the project,
 * which is written by agents, or devs's own: there the user has to say so.
 * @param shown what is mounted anyway
 * @param searchPath `PATH` in the box
 */
export function findServerProgram(order: ServerOrder, { shown, searchPath, place }: ProgramPlace): ServerProgram {
  const file = order.command.includes('/') ? path.resolve(order.cwd, order.command) : findInBox(order, searchPath);
  const real = resolve(file);
  if (real === undefined) throw notFound(order);
  // Called by the name that it is found by: a Python of a project knows by it which one it belongs to.
  const called = path.join(realpathSync.native(path.dirname(file)), path.basename(file));
  const hidden = ownPlacesInSystem(place);
  const isSeen = (target: string) => isOfSystem(target, hidden) || shown.some((folder) => isWithin(target, folder));
  const missing = [called, real].filter((target) => !isSeen(target));
  return { file: called, mounts: [...new Set(missing.flatMap((target) => showing(target, order, place)))].map((source): Mount => ({ source, access: 'read', pinned: true })) };
}

export interface ProgramPlace {
  readonly shown: readonly string[];
  readonly searchPath: string;
  readonly place: ToolchainPlace;
}

/** Arguments that name a file or folder of the machine that is not in the box: most often that is why a server does not start. */
export function unseenArguments({ args }: Pick<ServerOrder, 'args'>, { shown, place }: Pick<ProgramPlace, 'shown' | 'place'>): readonly string[] {
  const hidden = ownPlacesInSystem(place);
  const isSeen = (target: string) => isOfSystem(target, hidden) || shown.some((folder) => isWithin(target, folder));
  return args.filter((word) => path.isAbsolute(word) && resolve(word) !== undefined && !isSeen(path.resolve(word)));
}

function findInBox({ command, name, env }: ServerOrder, searchPath: string): string {
  for (const folder of searchPath.split(path.delimiter)) {
    const candidate = path.join(folder, command);
    if (resolve(candidate) !== undefined) return candidate;
  }
  const elsewhere = findProgram(command, env['PATH'] ?? '', '/nonexistent');
  if (elsewhere === undefined) throw notFound({ command });
  throw refuseBox({ name }, `its program ${JSON.stringify(elsewhere)} is not in its sandbox.`, `Show it: "sandbox": {"mounts": {"readOnly": [${JSON.stringify(path.dirname(elsewhere))}]}}, and write its full path as the command.`);
}

function showing(target: string, order: ServerOrder, place: ToolchainPlace): readonly string[] {
  const folder = path.dirname(target);
  if (isWithin(target, place.root) || place.closed.some((each) => isWithin(target, each))) {
    throw refuseBox(order, `its program ${JSON.stringify(target)} is not in its sandbox, because it is in the project.`, `Show it: "sandbox": {"mounts": {"readOnly": [${JSON.stringify(place.root)}]}}, or the folders of it that the server needs.`);
  }
  const parts = installationOf(folder, place).filter((part) => isOpen(part, place) && resolve(part) === part);
  // A folder of programs with nothing beside it is no installation: it may hold anything.
  return parts.length > 1 || parts.some((part) => part !== folder) ? parts : [target];
}

function notFound({ command }: Pick<ServerOrder, 'command'>): DevsError {
  return new DevsError('UPSTREAM_UNAVAILABLE', {
    sentence: `The command ${JSON.stringify(command.slice(0, 200))} was not found. Is it installed, and on the PATH?`,
    suggestion: 'Check the command, and what the server says on standard error.',
  });
}

function resolve(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}
