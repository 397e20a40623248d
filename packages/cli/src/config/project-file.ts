import path from 'node:path';
import { readSmallFile, type FileReading } from '../state/read-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { findPlaces, isInProject, isOwnFolderInProject, toFilePlace, toRealPlace, type Project } from './project.ts';
import { readTrustRecord, type TrustRecord } from './trust-record.ts';

/** A file that the agent or a cloned repository may have written: applied as it was trusted, and in no other way. */
export interface ProjectFile {
  /** The real folder and the name: what trust is about. */
  readonly path: string;
  /** What is trusted. The only bytes that are ever applied. */
  readonly record: TrustRecord | undefined;
  /** What stands there now: said, shown, and offered to be trusted. */
  readonly current: FileReading;
  /** Why no record is believed here; undefined when one would be. */
  readonly distrust: string | undefined;
}

/** Where records are kept, and whose project it is. */
export interface TrustPlace {
  readonly state: StateFolder;
  readonly project: Project;
  readonly accountHome: string | undefined;
}

const STATE_IN_PROJECT = 'the state folder is inside the project, which could have brought the record itself';

/** Whether a named file belongs to the project by any of its places. */
export async function isProjectFile(file: string, project: Project): Promise<boolean> {
  return (await findPlaces(file)).some((place) => isInProject(place, project));
}

export async function readProjectFile(file: string, place: TrustPlace): Promise<ProjectFile> {
  const at = await toFilePlace(file);
  const distrust = (await isStateInProject(place)) ? STATE_IN_PROJECT : undefined;
  const record = distrust === undefined ? await readTrustRecord(place.state, at) : undefined;
  return { path: at, record, current: await readSmallFile(at), distrust };
}

/**
 * A repository can bring a folder with a ready trust record, and its `.mcp.json` can set `DEVS_STATE_DIR`
 * or `XDG_STATE_HOME` to it.
 */
async function isStateInProject({ state, project, accountHome }: TrustPlace): Promise<boolean> {
  const own = accountHome === undefined ? undefined : path.join(accountHome, '.local', 'state');
  return [state.path, await toRealPlace(state.path)].some((place) => isOwnFolderInProject(place, own, project));
}
