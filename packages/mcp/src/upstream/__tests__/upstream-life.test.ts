import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeOf, createScene, HELLO, textOf, type Scene } from './scene.ts';
import { BackOff, systemTimers, type Timers } from '../timers.ts';
import { aliveInGroup, isAlive, reapersOf, untilGone } from './processes.ts';

/** On a busy machine a process needs seconds to begin, and could not go by itself before: it gets minutes. */
const patient: Timers = { ...systemTimers, sleep: async (milliseconds, signal) => systemTimers.sleep(100 * milliseconds, signal) };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'devs-upstream-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function pidsOf(scene: Scene): Promise<readonly number[]> {
  return JSON.parse(textOf(await scene.call('pids')));
}

describe('a server that cannot be started', () => {
  it.each<[string, readonly string[], object, RegExp, object]>([
    ['dies first', ['--start=dies'], {}, /ended with code 7 before it was ready/, { kind: 'ended', code: 7 }],
    ['refuses', ['--start=refuses'], {}, /does not answer as an MCP server/, { kind: 'ended', code: 0 }],
    ['answers garbage', ['--start=garbage'], {}, /does not answer as an MCP server/, { kind: 'ended', code: 0 }],
    ['lists no tools', ['--tools=none'], {}, /does not answer as an MCP server/, { kind: 'ended', code: 0 }],
    ['never answers', ['--start=silent'], { startTimeoutMs: 300 }, /did not answer within 0.3 seconds/, { kind: 'ended', code: 0 }],
    ['is not there', [], { command: 'no-such-command-of-devs' }, /"no-such-command-of-devs" was not found/, { kind: 'not found' }],
    ['is no program', [], { command: __filename }, /cannot be executed/, { kind: 'not executable' }],
    ['has a NUL in its name', [], { command: 'a\u0000b' }, /could not be started/, { kind: 'not started' }],
  ])('says why: it %s', async (_name, args, options, sentence, exit) => {
    await using scene = createScene(args, { timers: patient, ...options });
    await expect(scene.upstream.start(HELLO)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', sentence: expect.stringMatching(sentence) });
    expect(await scene.upstream.end()).toMatchObject(exit);
    expect(scene.registry.listTools()).toEqual([]);
  });

  it('is ended when the client goes while it starts', async () => {
    await using scene = createScene(['--start=silent'], { timers: patient });
    const starting = codeOf(scene.upstream.start(HELLO));
    expect(await scene.upstream.end()).toMatchObject({ kind: 'ended', code: 0 });
    expect(await starting).toBe('UPSTREAM_UNAVAILABLE');
  });
});

describe('a server that dies', () => {
  it('is started again, and until then its calls fail at once', async () => {
    const pause = Promise.withResolvers<void>();
    const timers = { monotonicMs: () => performance.now(), sleep: async () => pause.promise };
    await using scene = createScene([], { timers });
    await scene.upstream.start(HELLO);
    const [pid = 0] = await pidsOf(scene);
    const inFlight = scene.call('silent');
    await scene.call('echo', { text: 'the call before has reached the server' });
    process.kill(pid, 'SIGKILL');
    expect(textOf(await inFlight)).toMatch(/^The server of this tool ended before it answered\./);
    expect(await scene.untilSaid('UPSTREAM_ENDED')).toMatchObject({ exit: 'was ended by SIGKILL', restartInMs: 250 });
    expect(textOf(await scene.call('echo', { text: 'x' }))).toMatch(/is not running; devs is starting it again/);
    pause.resolve();
    await scene.untilUp();
    const [next] = await pidsOf(scene);
    expect(next).not.toBe(pid);
  });

  it('is waited for longer each time', async () => {
    const timers = { monotonicMs: () => 0, sleep: async () => undefined };
    await using scene = createScene(['--start=dies-later', `--marker=${path.join(folder, 'back-off')}`], { timers });
    await scene.upstream.start(HELLO);
    await scene.call('die');
    await scene.untilSaid('UPSTREAM_ENDED', 8);
    const delays = scene.said.flatMap(({ event, restartInMs }) => (event === 'UPSTREAM_ENDED' ? [restartInMs] : []));
    expect(delays.slice(0, 8)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(scene.said).toContainEqual(expect.objectContaining({ event: 'UPSTREAM_START_FAILED', error: expect.stringMatching(/ended with code 7/) }));
  });

  it.each<[number, number]>([
    [29_999, 1_000],
    [30_000, 250],
  ])('after a life of %i ms is waited for %i ms', (lifeMs, expected) => {
    const backOff = new BackOff();
    backOff.delayAfter(0);
    backOff.delayAfter(0);
    expect(backOff.delayAfter(lifeMs)).toBe(expected);
  });

  it('twenty times under load: no call hangs, nobody is left, devs lives', async () => {
    const timers = { monotonicMs: () => 0, sleep: async () => new Promise<void>((resolve) => setImmediate(resolve)) };
    await using scene = createScene(['--grandchild'], { timers });
    await scene.upstream.start(HELLO);
    const groups: number[] = [];
    const grandchildren: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      await scene.untilUp();
      const [pid = 0, grandchild = 0] = await pidsOf(scene);
      groups.push(pid);
      grandchildren.push(grandchild);
      const calls = Array.from({ length: 20 }, async (_, index) => scene.call(index % 2 === 0 ? 'silent' : 'echo', { text: 'x' }));
      process.kill(pid, 'SIGKILL');
      const results = await Promise.all(calls);
      expect(results.filter(({ isError }) => isError === true).length).toBeGreaterThanOrEqual(10);
      expect(results.every((result) => /^x$|ended before it answered|is not running/.test(textOf(result)))).toBe(true);
    }
    await scene.untilUp();
    expect(textOf(await scene.call('echo', { text: 'alive' }))).toBe('alive');
    await scene.upstream.end();
    await untilGone([...groups, ...grandchildren]);
    expect(groups.flatMap(aliveInGroup)).toEqual([]);
    expect(new Set(groups).size).toBe(20);
  });
});

describe('a server that is ended', () => {
  it('goes when its input closes, and takes its children with it', async () => {
    await using scene = createScene(['--grandchild'], { timers: patient });
    await scene.upstream.start(HELLO);
    const pids = await pidsOf(scene);
    expect(pids.every(isAlive)).toBe(true);
    expect(await scene.upstream.end()).toEqual({ kind: 'ended', code: 0 });
    await untilGone(pids);
    expect(textOf(await scene.call('echo', { text: 'x' }))).toMatch(/is not running/);
  });

  it('is killed when it ignores that, and SIGTERM too', async () => {
    const timers = { monotonicMs: () => 0, sleep: async () => undefined };
    await using scene = createScene(['--grandchild', '--ignore-eof'], { timers });
    await scene.upstream.start(HELLO);
    const pids = await pidsOf(scene);
    expect(await scene.upstream.end()).toEqual({ kind: 'killed', signal: 'SIGKILL' });
    await untilGone(pids);
  });

  it('has nobody left who waits to end it', async () => {
    await using scene = createScene();
    await scene.upstream.start(HELLO);
    const [pid = 0] = await pidsOf(scene);
    expect(reapersOf(pid)).toHaveLength(1);
    await scene.upstream.end();
    await untilGone(reapersOf(pid));
  });
});
