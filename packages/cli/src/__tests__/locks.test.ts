import { spawn, execFileSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { FileLock } from '@devs/storage';
import { withBoxes } from '../../../sandbox/src/__tests__/with-boxes.ts';
import { createProject } from './devs.ts';
import { openTestClient, writeOperatorFile } from './test-client.ts';

const STORAGE = path.resolve(__dirname, '../../../storage/dist/index.js');
const HOLD = `import { FileLock } from ${JSON.stringify(STORAGE)};
const held = await new FileLock(process.argv[1]).acquire({ patienceMs: Number(process.argv[2]) });
console.log(held === undefined ? 'busy' : 'held', process.pid);
process.stdin.resume();`;

/** In a pid namespace of its own, as in a container. There the ids of processes outside mean others, or nobody. */
function startInNamespace(guarded: string, patienceMs: number): ChildProcessWithoutNullStreams {
  const node = [process.execPath, '--input-type=module', '--eval', HOLD, guarded, String(patienceMs)];
  return spawn('bwrap', ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent', '--', ...node]);
}

async function firstLine({ stdout }: ChildProcessWithoutNullStreams): Promise<string> {
  const [chunk] = await once(stdout, 'data');
  return String(chunk).trim();
}

withBoxes('a lock of the state folder', () => {
  it('holds against a process of another pid namespace, both ways, and ends with it', async () => {
    await using project = await createProject();
    const guarded = path.join(project.outside, 'pins.json');
    const own = new FileLock(guarded);
    const holder = startInNamespace(guarded, 60_000);
    // The id that the holder has in there belongs to another process here.
    expect(await firstLine(holder)).toMatch(/^held [2-9]$/);
    expect(await own.acquire({ patienceMs: 100 })).toBeUndefined();
    const gone = once(holder, 'close');
    holder.kill('SIGKILL');
    await gone;
    using _held = await own.acquire({ patienceMs: 60_000 });
    expect(_held).toBeDefined();
    const late = startInNamespace(guarded, 100);
    expect(await firstLine(late)).toMatch(/^busy/);
    const ended = once(late, 'close');
    late.stdin.end();
    await ended;
  });

  it('is waited for within the time of a call: then nothing was run, and the call may be made again', async () => {
    await using project = await createProject();
    execFileSync('git', ['init', '-q', '.'], { cwd: project.root });
    const calls = [
      ['shell_exec', { argv: ['touch', 'made'] }],
      ['git_commit', { message: 'one', paths: ['hello.txt'] }],
    ] as const;
    const guarded = path.join(project.state, 'commands');
    await using hurried = await openTestClient(project, ['serve', '--config', writeOperatorFile(project, { limits: { toolTimeoutMs: 1_000 } })]);
    const held = await new FileLock(guarded).acquire({ patienceMs: 60_000 });
    expect(held).toBeDefined();
    for (const [tool, args] of calls) {
      const answer = await hurried.call(tool, args);
      expect(JSON.parse(answer.all)).toMatchObject({ isError: true, _meta: { 'devs/refusal': { code: 'PROJECT_BUSY', retryAllowed: true } } });
      expect(answer.all).toContain('nothing was run');
    }
    expect(existsSync(path.join(project.root, 'made'))).toBe(false);
    held?.[Symbol.dispose]();
    await using patient = await openTestClient(project, ['serve']);
    for (const [tool, args] of calls) expect(JSON.parse((await patient.call(tool, args)).all)).not.toHaveProperty('isError', true);
    expect(existsSync(path.join(project.root, 'made'))).toBe(true);
    // The note of what commands leave has its room from the first one on.
    expect(statSync(path.join(project.state, 'left-behind')).size).toBe(65_536);
  });
});
