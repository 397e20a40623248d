import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../config/load-config.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { describeNotes } from '../config/notes.ts';
import type { ConfigRequest } from '../config/sources.ts';
import { sha256Of, writeTrustRecord } from '../config/trust-record.ts';
import { locateState, type StateFolder } from '../state/state-folder.ts';

/** A cloned repository with a package in it, and beside it the user's folders. Gone when disposed. */
export interface ConfigPlace extends AsyncDisposable {
  /** The git work tree. */
  readonly repository: string;
  readonly outside: string;
  readonly state: StateFolder;
  /** Where the user's own file lies; nothing is there yet. */
  readonly userFile: string;
  write(file: string, content: unknown): Promise<string>;
  /** Records a file as it stands, as `devs config trust` does after a yes. */
  trust(file: string): Promise<void>;
  load(options?: LoadOptions): Promise<LoadedConfig>;
  /** What a start would say. */
  notes(options?: LoadOptions): Promise<readonly string[]>;
  request(options?: LoadOptions): ConfigRequest;
}

export interface LoadOptions {
  readonly root?: string;
  readonly named?: string;
  readonly startedIn?: string;
  readonly state?: StateFolder;
  readonly variables?: Readonly<Record<string, string>>;
}

export async function createConfigPlace(): Promise<ConfigPlace> {
  const place = await realpath(await mkdtemp(path.join(os.tmpdir(), 'devs-config-')));
  const [repository, outside, home] = [path.join(place, 'shop'), path.join(place, 'outside'), path.join(place, 'xdg')];
  for (const folder of [path.join(repository, '.git'), path.join(repository, 'packages', 'web'), outside, path.join(home, 'devs')]) {
    await mkdir(folder, { recursive: true });
  }
  const state = locateState(repository, { DEVS_STATE_DIR: path.join(place, 'state') });
  const request = ({ root = repository, named, startedIn, state: other = state, variables = {} }: LoadOptions = {}) => ({
    root,
    named,
    startedIn,
    state: other,
    variables: { XDG_CONFIG_HOME: home, ...variables },
  });
  return {
    repository,
    outside,
    state,
    userFile: path.join(home, 'devs', 'devs.config.json'),
    write: async (file, content) => {
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o644 });
      return file;
    },
    trust: async (file) => recordAs(state, file),
    load: async (options) => loadConfig(request(options)),
    notes: async (options = {}) => describeNotes(await loadConfig(request(options)), options.root ?? repository),
    request,
    [Symbol.asyncDispose]: async () => rm(place, { recursive: true, force: true }),
  };
}

/** What is written is what is there: a record that `devs config trust` would make. */
export async function recordAs(state: StateFolder, file: string): Promise<void> {
  const bytes = await readFile(file);
  const real = path.join(await realpath(path.dirname(file)), path.basename(file));
  await writeTrustRecord(state, { path: real, sha256: sha256Of(bytes), bytes, trustedAt: '2026-01-02T03:04:05.000Z' });
}
