import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ORDINARY } from './box-scene.ts';

const REPOSITORY = path.resolve(__dirname, '../../../../..');

/** Runs tests of this package once more, as an ordinary user. The code lies where root alone may look, in some places: it is mounted where everybody may. */
export async function runAsOrdinaryUser(pattern: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'devs-ordinary-'));
  const [code, temporary] = [path.join(folder, 'code'), path.join(folder, 'temporary')];
  try {
    for (const each of [code, temporary]) mkdirSync(each);
    chmodSync(folder, 0o755);
    const { uid, gid } = ORDINARY;
    chownSync(temporary, uid, gid);
    const script = 'mount --bind "$1" "$2" && cd "$2/packages/sandbox" && shift 2 && exec "$@"';
    const words = ['setpriv', `--reuid=${String(uid)}`, `--regid=${String(gid)}`, '--clear-groups', '--inh-caps=-all', process.execPath.replace(REPOSITORY, code)];
    const jest = [path.join(code, 'scripts/jest.mjs'), '--runInBand', '--verbose', '--cacheDirectory', path.join(temporary, 'jest'), '--testPathPattern', pattern];
    const { PATH, DEVS_REQUIRE_SANDBOX, DEVS_LAW_RUNS, DEVS_LAW_SEED } = process.env;
    const env = { PATH, DEVS_REQUIRE_SANDBOX, DEVS_LAW_RUNS, DEVS_LAW_SEED, TMPDIR: temporary, HOME: temporary, CI: 'true' };
    const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', REPOSITORY, code, ...words, ...jest], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    return await new Promise((resolve) => {
      child.once('error', (cause) => resolve({ code: null, said: String(cause) }));
      child.once('close', (exit) => resolve({ code: exit, said }));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether this process may mount, without which it cannot show its code to an ordinary user. */
export function mayMount(): boolean {
  return spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0;
}
