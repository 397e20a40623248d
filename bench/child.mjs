// A Node process of the bench's own: it ends with its row, with an error, and with the bench.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** Milliseconds that a child which was asked to end may take. */
const PATIENCE_MS = 10_000;
const KEPT_CHARACTERS = 4_000;

export function startNode(args, { env = {} } = {}) {
  const child = spawn(process.execPath, args, { stdio: 'pipe', env: { ...process.env, ...env } });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit').finally(() => process.removeListener('exit', kill));
  // A child that died breaks the pipe; whoever waits for an answer is told by its exit.
  child.stdin.on('error', () => undefined);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said = (said + chunk).slice(-KEPT_CHARACTERS);
  });
  const stop = async (signal) => {
    child.stdin.end();
    if (signal !== undefined) child.kill(signal);
    const late = setTimeout(kill, PATIENCE_MS);
    await exited.finally(() => clearTimeout(late));
  };
  return { child, exited, said: () => said, stop };
}
