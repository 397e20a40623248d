import { describe, expect, it } from '@jest/globals';
import { ChildServer } from '../child-server.ts';
import type { ChildExit } from '../../../protocol/upstream.ts';
import { EraMemory } from '../../protocol/era-memory.ts';
import { CLIENT, createClock, failureOf, hasty, impatient, MODERN_CLIENT, NOBODY, openStdio, resultOf, wordsOf, type ConnectionScene } from '../../__tests__/connection-scene.ts';
import { aliveInGroup, until, untilGone } from '../../__tests__/processes.ts';
import { systemTimers } from '../../protocol/timers.ts';

const REFUSED = 'UPSTREAM_ANSWER_REFUSED';
const LOST = 'UPSTREAM_LOST';

async function pidsOf(scene: ConnectionScene): Promise<readonly number[]> {
  return JSON.parse(wordsOf(await scene.call('pids')));
}

describe('an answer of a server that is not trusted', () => {
  it.each<[string, string, RegExp]>([
    ['is taken', 'echo', /^hello$/],
    ['to another id is none', 'wrong_id', /^right$/],
    ['counts once', 'twice', /^first$/],
    ['in its last moment is one', 'last_words', /^x{90000} last words$/],
    ['is found among what is no message', 'noise', /^heard$/],
    ['comes behind a flood', 'flood', /^after the flood$/],
  ])('%s', async (_name, tool, words) => {
    await using scene = openStdio(['hostile-server.mjs']);
    expect(wordsOf(await scene.call(tool, { text: 'hello' }))).toMatch(words);
  });

  it.each<[string, string, string]>([
    ['cut off by its death', 'die', LOST],
    ['that cannot come any more', 'close_output', LOST],
    ['that is a string', 'not_a_result', REFUSED],
    ['that is null', 'null_result', REFUSED],
    ['with _meta that is none', 'bad_meta', REFUSED],
    ['with an error that is none', 'bad_error', REFUSED],
    ['that is larger than a message may be', 'big', REFUSED],
    ['that is an error of its own', 'rpc_error', 'rpc -32000'],
    ['that is both', 'both', 'rpc 1'],
  ])('%s fails the call at once, and the next one works', async (_name, tool, code) => {
    await using scene = openStdio(['hostile-server.mjs'], { maxMessageBytes: 1_000_000, timers: hasty });
    expect((await failureOf(scene.call(tool))).code).toBe(code);
    expect(wordsOf(await scene.call('echo', { text: 'on' }))).toBe('on');
    expect(JSON.stringify(scene.said)).not.toContain('IGNORE');
  });

  it('is raw: what the protocol does not know is not dropped', async () => {
    await using scene = openStdio(['hostile-server.mjs']);
    expect(resultOf(await scene.call('no_content'))).toEqual({ done: true });
  });
});

describe('the protocol of a server', () => {
  it.each<[string, readonly string[], number]>([
    ['is the older one when it does not know the question', [], 1],
    ['is the older one when it is confused by the question, in another process', ['--discover=confused'], 2],
    ['is the older one when the question kills it, in another process', ['--discover=dies'], 2],
    ['is the older one when it leaves the question open', ['--discover=silent'], 1],
  ])('%s, and is found out once', async (_name, args, starts) => {
    const eras = new EraMemory();
    let processes = 0;
    const spawn = async (...given: ConstructorParameters<typeof ChildServer>) => {
      processes += 1;
      return new ChildServer(...given);
    };
    for (const expected of [starts, starts + 1]) {
      await using scene = openStdio(['hostile-server.mjs', ...args], { info: MODERN_CLIENT, eras, spawn, timers: impatient });
      expect(await scene.upstream.ready(NOBODY)).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25', serverInfo: { name: 'hostile' } });
      expect(processes).toBe(expected);
    }
  });

  it('is the older one when the question killed it a moment before the handshake', async () => {
    const eras = new EraMemory();
    const processes: ChildServer[] = [];
    const spawn = async (...given: ConstructorParameters<typeof ChildServer>) => {
      const process = new ChildServer(...given);
      processes.push(process);
      return process;
    };
    // The wait for an answer ends with the process, when the pipe from it is not read to its end yet.
    const timers = { ...systemTimers, sleep: async (ms: number, signal: AbortSignal) => (ms === 5_000 ? void (await processes[0]?.exited) : systemTimers.sleep(ms, signal)) };
    await using scene = openStdio(['hostile-server.mjs', '--discover=dies'], { info: MODERN_CLIENT, eras, spawn, timers });
    expect(await scene.upstream.ready(NOBODY)).toMatchObject({ era: 'legacy', serverInfo: { name: 'hostile' } });
    expect(processes.length).toBe(2);
  });

  it('is that of the client where a server speaks both', async () => {
    for (const info of [CLIENT, MODERN_CLIENT]) {
      await using scene = openStdio(['sdk-server.mjs', 'stdio-dual'], { info });
      expect((await scene.upstream.ready(NOBODY)).era).toBe(info.era);
    }
  });

  it('says what the client declared, and its version', async () => {
    await using scene = openStdio(['hostile-server.mjs'], { info: { ...CLIENT, protocolVersion: '2025-06-18' } });
    const { capabilities, clientInfo } = CLIENT;
    expect(JSON.parse(wordsOf(await scene.call('hello')))).toEqual({ protocolVersion: '2025-06-18', capabilities, clientInfo });
  });
});

describe('a server that cannot be started', () => {
  it.each<[string, readonly string[], object, RegExp, Partial<ChildExit>]>([
    ['dies first', ['--start=dies'], {}, /ended with code 7 before it was ready/, { kind: 'ended' }],
    ['refuses', ['--start=refuses'], {}, /does not answer as an MCP server/, { kind: 'ended' }],
    ['answers garbage', ['--start=garbage'], {}, /does not answer as an MCP server/, { kind: 'ended' }],
    ['never answers', ['--start=silent'], { startTimeoutMs: 300 }, /did not answer within 0.3 seconds/, {}],
    ['is not there', [], { command: { command: 'no-such-command-of-devs', args: [], cwd: '/', env: {} } }, /was not found/, { kind: 'not found' }],
    ['is no program', [], { command: { command: __filename, args: [], cwd: '/', env: {} } }, /cannot be executed/, { kind: 'not executable' }],
  ])('says why: it %s', async (_name, args, options, sentence, exit) => {
    for (const info of [CLIENT, MODERN_CLIENT]) {
      await using scene = openStdio(['hostile-server.mjs', ...args], { info, ...options });
      const failure = await failureOf(scene.ask('ping'));
      expect(failure).toEqual({ code: 'UPSTREAM_UNAVAILABLE', sentence: expect.stringMatching(sentence) });
      expect(scene.upstream.lastExit).toMatchObject(exit);
    }
  });

  it('is left alone after five failures, and then tried once', async () => {
    const clock = createClock();
    const timers = { ...clock.timers, sleep: async (milliseconds: number, signal: AbortSignal) => (milliseconds < 11_000 ? undefined : clock.timers.sleep(milliseconds, signal)) };
    await using scene = openStdio([], { timers, command: { command: 'no-such-command-of-devs', args: [], cwd: '/', env: {} } });
    const failures = async () => scene.said.filter(({ event }) => event === 'UPSTREAM_START_FAILED').length;
    for (let count = 0; count < 5; count += 1) await failureOf(scene.ask('ping'));
    expect((await failureOf(scene.ask('ping'))).sentence).toBe(
      'The server of this tool could not be started 5 times in a row; devs tries again in 10 seconds. The command "no-such-command-of-devs" was not found. Is it installed, and on the PATH?',
    );
    expect(await failures()).toBe(5);
    clock.advance(10_000);
    await Promise.all([failureOf(scene.ask('ping')), failureOf(scene.ask('ping'))]);
    expect(await failures()).toBe(6);
    expect((await failureOf(scene.ask('ping'))).sentence).toMatch(/6 times in a row; devs tries again in 20 seconds/);
  });
});

describe('a connection that is ended while its server starts', () => {
  it('leaves nobody behind', async () => {
    let ended = 0;
    const spawn = (...given: ConstructorParameters<typeof ChildServer>) => {
      const server = new ChildServer(...given);
      void server.exited.then(() => {
        ended += 1;
      });
      return server;
    };
    const scene = openStdio(['hostile-server.mjs', '--start=silent'], { spawn });
    const failure = failureOf(scene.ask('ping'));
    await scene.upstream.end();
    expect((await failure).code).toBe('UPSTREAM_UNAVAILABLE');
    expect(scene.upstream.info).toBeUndefined();
    expect(ended).toBe(1);
  });
});

describe('a server that dies', () => {
  it('fails its calls at once, and is there again for the next; nobody is left', async () => {
    await using scene = openStdio(['hostile-server.mjs', '--grandchild'], { timers: hasty });
    const groups: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const [pid = 0] = await pidsOf(scene);
      groups.push(pid);
      const calls = Array.from({ length: 10 }, async () => failureOf(scene.call('silent')));
      await scene.call('echo', { text: 'the calls before have reached the server' });
      process.kill(pid, 'SIGKILL');
      expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(Array.from({ length: 10 }, () => LOST));
    }
    await until(() => scene.events.filter(({ kind }) => kind === 'lost').length === 5);
    expect(wordsOf(await scene.call('echo', { text: 'alive' }))).toBe('alive');
    await scene.upstream.end();
    await untilGone(groups);
    expect(groups.flatMap(aliveInGroup)).toEqual([]);
    expect(new Set(groups).size).toBe(5);
  });

  it('is started again by itself when it was in use, and only when it is asked for where it was not', async () => {
    await using used = openStdio(['hostile-server.mjs'], { timers: hasty });
    const [pid = 0] = await pidsOf(used);
    process.kill(pid, 'SIGKILL');
    await until(() => used.events.length === 1);
    await until(() => used.upstream.info !== undefined);
    expect(await pidsOf(used)).not.toContain(pid);
    await using unused = openStdio(['hostile-server.mjs', '--start=ends-unasked'], { timers: hasty });
    await unused.upstream.ready(NOBODY);
    await until(() => unused.events.length === 1);
    expect(unused.said.filter(({ event }) => event === 'UPSTREAM_ENDED')).toEqual([]);
    expect(unused.upstream.info).toBeUndefined();
  });

  it('is ended when it answers nothing, not even whether it is there', async () => {
    await using scene = openStdio(['hostile-server.mjs', '--no-ping'], { timers: impatient });
    const [pid = 0] = await pidsOf(scene);
    for (let count = 0; count < 3; count += 1) {
      const stop = new AbortController();
      const call = failureOf(scene.call('silent', {}, { signal: stop.signal }));
      setImmediate(() => stop.abort());
      expect((await call).code).toBe('CALL_CANCELLED');
    }
    await until(() => scene.events.some(({ kind }) => kind === 'lost'));
    expect((await pidsOf(scene))[0]).not.toBe(pid);
    await untilGone([pid]);
  });

  it('is kept when it is slow, and answers whether it is there', async () => {
    const slow = { ...systemTimers, sleep: async (milliseconds: number, signal: AbortSignal) => systemTimers.sleep(10 * milliseconds, signal) };
    await using scene = openStdio(['hostile-server.mjs'], { timers: slow });
    const [pid = 0] = await pidsOf(scene);
    for (let count = 0; count < 6; count += 1) {
      const stop = new AbortController();
      const call = failureOf(scene.call('silent', {}, { signal: stop.signal }));
      setImmediate(() => stop.abort());
      await call;
    }
    expect((await pidsOf(scene))[0]).toBe(pid);
  });

  it('takes no more than it reads', async () => {
    await using scene = openStdio(['hostile-server.mjs'], { timers: hasty });
    await scene.call('deaf');
    const stop = new AbortController();
    const calls = Array.from({ length: 30 }, async () => failureOf(scene.call('echo', { text: 'x'.repeat(1_000_000) }, { signal: stop.signal })));
    expect((await Promise.race(calls)).sentence).toMatch(/does not take calls at the moment/);
    stop.abort();
    await Promise.all(calls);
  });
});
