import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const GUIDES = path.resolve(__dirname, '..', '..', '..', '..', 'docs', 'guide');

/** One command of a page, and what the page says that it prints. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
  /** The user's configuration that the page showed last before it. */
  readonly config: string | undefined;
}

export async function readGuide(page: string): Promise<string> {
  return readFile(path.join(GUIDES, page), 'utf8');
}

/** The commands in the ```console blocks of a guide, in order; a ```json block before them is the user's own configuration. */
export async function readCommands(page: string): Promise<readonly ShownCommand[]> {
  const text = await readGuide(page);
  let config: string | undefined;
  return [...text.matchAll(/^```(json|console)\n(.*?)^```$/gms)].flatMap(([, kind, block = '']) => {
    if (kind === 'json') config = block;
    else return splitCommands(block).map((shown) => ({ ...shown, config }));
    return [];
  });
}

function splitCommands(block: string): readonly Omit<ShownCommand, 'config'>[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => ({ command: part.slice(0, part.indexOf('\n')), output: part.slice(part.indexOf('\n') + 1) }));
}

/** A project as a guide has it in mind, in which its commands run one after the other. Gone when disposed. */
export interface GuidePlace extends AsyncDisposable {
  readonly root: string;
  /** What its commands get. */
  readonly environment: Readonly<Record<string, string>>;
  run(shown: ShownCommand): Promise<string>;
  /** Puts a program into the PATH: a script for Node, and the words that it always gets. */
  install(name: string, script: readonly string[]): Promise<void>;
}

export async function createGuidePlace(files: Readonly<Record<string, string>>): Promise<GuidePlace> {
  const place = await mkdtemp(path.join(os.tmpdir(), 'devs-guide-'));
  const [root, bin, home] = [path.join(place, 'project'), path.join(place, 'bin'), path.join(place, 'xdg')];
  for (const folder of [root, bin, path.join(home, 'devs')]) await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  const install = async (name: string, script: readonly string[]) => {
    const words = [process.execPath, ...script].map((word) => `"${word}"`).join(' ');
    await writeFile(path.join(bin, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  };
  await install('devs', [MAIN]);
  const env: Record<string, string> = { ...toTexts(process.env), DEVS_STATE_DIR: path.join(place, 'state'), XDG_CONFIG_HOME: home, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  return {
    root,
    environment: env,
    install,
    run: async ({ command, config = '{}' }) => {
      await writeFile(path.join(home, 'devs', 'devs.config.json'), config, { mode: 0o644 });
      const output = await runShell(command, { cwd: root, env });
      // Says where the configuration lies, which differs from place to place.
      return output.replaceAll(/^Configuration: .*\n/gm, '');
    },
    [Symbol.asyncDispose]: async () => rm(place, { recursive: true, force: true }),
  };
}

function toTexts(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

async function runShell(command: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): Promise<string> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', `exec 2>&1; ${command}`], { ...options, encoding: 'utf8' }, (_, stdout) => resolve(stdout));
  });
}
