import { existsSync } from 'node:fs';
import path from 'node:path';
import { withMountedNames, type NamedFolders } from '@devs/sandbox';

/** The variables by which programs find settings and each other. */
export interface FolderVariables {
  readonly PATH?: string | undefined;
  readonly XDG_CONFIG_HOME?: string | undefined;
  readonly XDG_DATA_HOME?: string | undefined;
}

/** Folders that the environment names and from which programs are started for the user, under every name that mounts give them. */
export function namedFolders({ PATH = '', XDG_CONFIG_HOME, XDG_DATA_HOME }: FolderVariables = process.env): NamedFolders {
  const absolute = (folders: readonly (string | undefined)[]) => folders.filter((folder) => folder !== undefined && path.isAbsolute(folder)).map(String);
  return {
    settings: withMountedNames(absolute([XDG_CONFIG_HOME])),
    data: withMountedNames(absolute([XDG_DATA_HOME])),
    programs: withMountedNames(absolute(PATH.split(path.delimiter)).filter((folder) => !isOfPackages(folder))),
  };
}

/**
 * Package managers of a project fill these, and ordinary tasks have them do it. A virtual environment is told by what lies in
 * the folder itself as well: beside another folder a tool could write its mark.
 */
function isOfPackages(folder: string): boolean {
  if (folder.split('/').includes('node_modules')) return true;
  return ['../pyvenv.cfg', 'activate', 'python'].every((name) => existsSync(path.join(folder, name)));
}
