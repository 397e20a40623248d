import { existsSync } from 'node:fs';
import path from 'node:path';
import { namingVariables, withMountedNames, type NamedFolders } from '@devs/sandbox';

/** The variables by which programs find settings, code and each other. */
export type FolderVariables = Readonly<Record<string, string | undefined>>;

/** Files and folders that the environment names and from which programs are started for the user, under every name that mounts give them. */
export function namedFolders(variables: FolderVariables = process.env): NamedFolders {
  const { PATH = '', XDG_CONFIG_HOME, XDG_DATA_HOME } = variables;
  const absolute = (folders: readonly (string | undefined)[]) => folders.filter((folder) => folder !== undefined && path.isAbsolute(folder)).map(String);
  return {
    settings: withMountedNames(absolute([XDG_CONFIG_HOME])),
    data: withMountedNames(absolute([XDG_DATA_HOME])),
    programs: withMountedNames(absolute(PATH.split(path.delimiter)).filter((folder) => !isOfPackages(folder))),
    byVariable: new Map([...namingVariables()].flatMap(([name, isCode]) => {
      const places = placesIn(variables[name] ?? '', { home: variables['HOME'], isCode });
      return places.length === 0 ? [] : [[name, withMountedNames(places)] as const];
    })),
  };
}

/**
 * One path, or a list of them: a path with a `:` in it is taken for both. A relative one counts for code alone. Elsewhere it is
 * most often no path at all: `ENV=production` would protect a folder of the project.
 */
function placesIn(value: string, { home, isCode }: { readonly home: string | undefined; readonly isCode: boolean }): readonly string[] {
  // Shells write these out themselves in `ENV` and `BASH_ENV`, and readline in `INPUTRC`.
  const written = [value, ...value.split(path.delimiter)].filter((text) => text !== '').map((text) => (home === undefined ? text : text.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => home)));
  return [...new Set(written.filter((text) => isCode || path.isAbsolute(text)).map((text) => path.resolve(text)))];
}

/**
 * Package managers of a project fill these, and ordinary tasks have them do it. A virtual environment is told by what lies in
 * the folder itself as well: beside another folder a tool could write its mark.
 */
function isOfPackages(folder: string): boolean {
  if (folder.split('/').includes('node_modules')) return true;
  return ['../pyvenv.cfg', 'activate', 'python'].every((name) => existsSync(path.join(folder, name)));
}
