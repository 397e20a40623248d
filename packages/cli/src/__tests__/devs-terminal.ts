import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Ended, Project } from './devs.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const QUESTION = 'Type yes';

/** What a person does at the terminal. */
export interface TerminalOptions {
  readonly typed: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Appended to the command for the shell: `> file`. */
  readonly redirect?: string;
  /** How the question begins. */
  readonly question?: string;
  /** Done when the question stands there, before anything is typed. */
  readonly beforeAnswer?: () => Promise<unknown>;
}

/** A person at a terminal of their own runs devs and, once it asks, types. All that the terminal shows is `stdout`. */
export async function typeAt(project: Project, args: readonly string[], options: TerminalOptions): Promise<Ended> {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const whole = `${command} ${options.redirect ?? ''}`;
  const words = process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', whole] : ['-qec', whole, '/dev/null'];
  const child = spawn('script', words, { cwd: project.root, env: environmentOf(project, options.env), timeout: 240_000 });
  let shown = '';
  let isAsked = false;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    if (isAsked || !shown.includes(options.question ?? QUESTION)) return;
    isAsked = true;
    void (async () => {
      await options.beforeAnswer?.();
      child.stdin.write(options.typed);
    })();
  });
  child.stdin.on('error', () => undefined);
  await once(child, 'close');
  return { code: child.exitCode, stdout: shown.replaceAll('\r\n', '\n'), stderr: '' };
}

/** An agent, or a client, runs devs: in a session without any terminal, whatever terminal the tests have. */
export async function runWithoutTerminal(project: Project, args: readonly string[], input: string): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: project.root, env: environmentOf(project), detached: true, timeout: 240_000 });
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

function environmentOf(project: Project, env: TerminalOptions['env'] = {}): NodeJS.ProcessEnv {
  return { ...process.env, DEVS_STATE_DIR: project.state, XDG_CONFIG_HOME: path.join(project.root, '..', 'config'), ...env };
}
