import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createUpstream } from '../create-upstream.ts';
import { BackOff, systemTimers, type Timers } from '../protocol/timers.ts';
import type { PooledInstances } from '../pool/pooled-instances.ts';
import { createClock, failureOf, hasty, NOBODY, openStdio, wordsOf, type ConnectionScene } from './connection-scene.ts';
import { createPoolScene, textOf, type PoolScene } from './pool-scene.ts';
import { aliveInGroup, isAlive, reapersOf, until, untilGone } from './processes.ts';

/** On a busy machine a process needs seconds to begin, and could not go by itself before: it gets minutes. */
const patient: Timers = { ...systemTimers, sleep: async (milliseconds, signal) => systemTimers.sleep(100 * milliseconds, signal) };
/** Each life was a long one, so that the wait after it is the shortest. */
const longLived: Timers = { ...hasty, monotonicMs: () => 30_000 * performance.now() };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'devs-upstream-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function pidsOf(scene: ConnectionScene): Promise<readonly number[]> {
  return JSON.parse(wordsOf(await scene.call('pids')));
}

/** The whole pool in front of real processes of the hostile server. */
function openPool(args: readonly string[], timers: Timers): PoolScene {
  const config = { name: 'server', command: process.execPath, args: [path.join(__dirname, 'hostile-server.mjs'), ...args] };
  return createPoolScene(
    { server: {} },
    { timers, connect: (_name, client) => createUpstream({ config, client, root: __dirname, environment: process.env, timers, random: () => 0 }) },
  );
}

describe('a server that is ended', () => {
  it('goes when its input closes, and takes its children with it', async () => {
    await using scene = openStdio(['hostile-server.mjs', '--grandchild'], { timers: patient });
    const pids = await pidsOf(scene);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await scene.upstream.end();
    expect(scene.upstream.lastExit).toEqual({ kind: 'ended', code: 0 });
    await untilGone(pids);
    expect((await failureOf(scene.call('echo'))).sentence).toBe('The server of this tool has been ended.');
  });

  it('is killed when it ignores that, and SIGTERM too', async () => {
    await using scene = openStdio(['hostile-server.mjs', '--grandchild', '--ignore-eof'], { timers: hasty });
    const pids = await pidsOf(scene);
    await scene.upstream.end();
    expect(scene.upstream.lastExit).toEqual({ kind: 'killed', signal: 'SIGKILL' });
    await untilGone(pids);
  });

  it('has nobody left who waits to end it', async () => {
    await using scene = openStdio(['hostile-server.mjs']);
    const [pid = 0] = await pidsOf(scene);
    expect(reapersOf(pid)).toHaveLength(1);
    await scene.upstream.end();
    await until(() => reapersOf(pid).length === 0);
  });

  it('is gone with the client that goes while it starts', async () => {
    await using scene = openPool(['--start=silent'], patient);
    const instances = scene.join();
    const call = scene.codeOf(instances, 'server__echo', { args: { text: 'x' } });
    const started = instances.ready(NOBODY);
    await instances.end();
    await started;
    expect(await call).toMatch(/^(UPSTREAM_UNAVAILABLE|UNKNOWN_TOOL)$/);
    expect(scene.offered(instances)).toEqual([]);
  });
});

describe('a server that cannot be started', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['has a NUL in its name', ['a\u0000b'], /could not be started/],
    ['has a NUL in its arguments', [process.execPath, 'a\u0000b'], /could not be started/],
    ['runs in a folder that is not there', [process.execPath], /was not found/],
  ])('says why: it %s', async (name, [command = '', ...args], sentence) => {
    const cwd = name.includes('folder') ? path.join(folder, 'gone') : folder;
    await using scene = openStdio([], { command: { command, args, cwd, env: {} } });
    expect(await failureOf(scene.ask('ping'))).toEqual({ code: 'UPSTREAM_UNAVAILABLE', sentence: expect.stringMatching(sentence) });
  });

  it('is waited for longer each time, until it is left alone', async () => {
    const timers: Timers = { ...hasty, monotonicMs: () => 0 };
    await using scene = openStdio(['hostile-server.mjs', '--start=dies-later', `--marker=${path.join(folder, 'back-off')}`], { timers });
    // Only one that was used is started again unasked.
    await scene.call('echo');
    await failureOf(scene.call('die'));
    const failed = () => scene.said.filter(({ event }) => event === 'UPSTREAM_START_FAILED');
    await until(() => failed().length === 1);
    while (failed().length < 5) await failureOf(scene.call('echo'));
    const ended = scene.said.filter(({ event }) => event === 'UPSTREAM_ENDED');
    expect(ended.map(({ restartInMs }) => restartInMs)).toEqual([250, 500, 1_000, 2_000, 4_000]);
    expect(failed()[0]).toMatchObject({ source: 'server', error: expect.stringMatching(/ended with code 7/) });
    expect((await failureOf(scene.call('echo'))).sentence).toMatch(/5 times in a row; devs tries again in 10 seconds/);
  });

  it.each<[number, number, number]>([
    [29_999, 0, 1_000],
    [29_999, 1, 500],
    [30_000, 0, 250],
    [30_000, 1, 125],
  ])('after a life of %i ms and a throw of %i is waited for %i ms', (lifeMs, thrown, expected) => {
    const backOff = new BackOff(() => thrown);
    backOff.delayAfter(0);
    backOff.delayAfter(0);
    expect(backOff.delayAfter(lifeMs)).toBe(expected);
  });

  it('is waited for ten seconds at most', () => {
    const backOff = new BackOff();
    expect(Array.from({ length: 8 }, () => backOff.delayAfter(0)).slice(4)).toEqual([4_000, 8_000, 10_000, 10_000]);
  });
});

describe('a server that has died', () => {
  it('is waited for by those who call it, as long as they like', async () => {
    const clock = createClock();
    const timers: Timers = { ...clock.timers, sleep: async (milliseconds, signal) => (milliseconds === 250 ? clock.timers.sleep(250, signal) : systemTimers.sleep(milliseconds, signal)) };
    await using scene = openStdio(['hostile-server.mjs'], { timers });
    const [pid = 0] = await pidsOf(scene);
    const inFlight = failureOf(scene.call('silent'));
    await scene.call('echo', { text: 'the call before has reached the server' });
    process.kill(pid, 'SIGKILL');
    expect(await inFlight).toEqual({ code: 'UPSTREAM_LOST', sentence: expect.stringMatching(/^The server of this tool ended before it answered\./) });
    await until(() => clock.sleeps.size > 0);
    expect(scene.said).toContainEqual({ event: 'UPSTREAM_ENDED', source: 'server', exit: 'was ended by SIGKILL', restartInMs: 250 });
    const gaveUp = new AbortController();
    const [impatient, waiting] = [failureOf(scene.call('echo', {}, { signal: gaveUp.signal })), scene.call('echo', { text: 'waited' })];
    gaveUp.abort();
    expect((await impatient).code).toBe('CALL_CANCELLED');
    clock.advance(250);
    expect(wordsOf(await waiting)).toBe('waited');
    expect((await pidsOf(scene))[0]).not.toBe(pid);
  });

  it('twenty times under load: no call hangs, nobody is left, the rest works', async () => {
    await using scene = openPool(['--grandchild'], longLived);
    const instances = await scene.joined();
    const everybody: number[] = [];
    const groups: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const pids: readonly number[] = JSON.parse(textOf(await scene.call(instances, 'server__pids')));
      everybody.push(...pids);
      groups.push(...pids.slice(0, 1));
      await expectAllAnswered(scene, instances, () => pids.slice(0, 1).forEach((pid) => process.kill(pid, 'SIGKILL')));
    }
    expect(textOf(await scene.call(instances, 'server__echo', { args: { text: 'alive' } }))).toBe('alive');
    await instances.end();
    await untilGone(everybody);
    expect(groups.flatMap(aliveInGroup)).toEqual([]);
    expect(groups.flatMap(reapersOf)).toEqual([]);
    expect(new Set(groups).size).toBe(20);
  });

  it('takes nothing from another client of the same server', async () => {
    await using scene = openPool([], longLived);
    const [first, second] = [await scene.joined(), await scene.joined()];
    const pid = async (instances: PooledInstances): Promise<readonly number[]> => JSON.parse(textOf(await scene.call(instances, 'server__pids')));
    const [[ofFirst = 0], ofSecond] = [await pid(first), await pid(second)];
    expect(ofSecond).not.toContain(ofFirst);
    process.kill(ofFirst, 'SIGKILL');
    expect(textOf(await scene.call(second, 'server__echo', { args: { text: 'x' } }))).toBe('x');
    await until(async () => (await scene.codeOf(first, 'server__echo', { args: { text: 'x' } })) === undefined);
    expect(await pid(second)).toEqual(ofSecond);
  });
});

/** Ten calls that are being worked on when the server is killed, and ten on their way. */
async function expectAllAnswered(scene: PoolScene, instances: PooledInstances, kill: () => void): Promise<void> {
  const echo = async () => scene.call(instances, 'server__echo', { args: { text: 'x' } });
  const worked = Array.from({ length: 10 }, async () => scene.call(instances, 'server__silent'));
  // They have reached the server: what is on its way when it dies may be made of the next one.
  await echo();
  const onTheirWay = Array.from({ length: 10 }, echo);
  kill();
  for (const result of await Promise.all(worked)) expect(textOf(result)).toMatch(/^The server of this tool ended before it answered\./);
  for (const result of await Promise.all(onTheirWay)) expect(textOf(result)).toMatch(/^x$|^The server of this tool ended before it answered\./);
}
