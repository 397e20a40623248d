import { describe, expect, it } from '@jest/globals';
import { isRecord, type JsonObject } from '@devs/core';
import type { UpstreamAnswer } from '../../../protocol/upstream.ts';
import { CLIENT, createClock, failureOf, hasty, openStdio, resultOf, wordsOf, type ConnectionScene } from '../../__tests__/connection-scene.ts';
import { until } from '../../__tests__/processes.ts';

interface Asked {
  readonly serverRequests: Readonly<Record<string, unknown>>;
  readonly state: string;
}

function askedOf(answer: UpstreamAnswer): Asked {
  if (answer.kind !== 'input_required' || !isRecord(answer.inputRequests) || answer.requestState === undefined) throw new Error('nothing was asked');
  return { serverRequests: answer.inputRequests, state: answer.requestState };
}

const yes = { action: 'accept', content: { a: 1 } };

async function goOn(scene: ConnectionScene, state: string, inputResponses: JsonObject): Promise<UpstreamAnswer> {
  return scene.call('ask', {}, { continuation: { state, inputResponses } });
}

/** All that the server has said before has come. No call that a server-to-client request could belong to. */
async function untilHeard(scene: ConnectionScene): Promise<void> {
  await scene.ask('ping');
}

/** What came back to the server-to-client requests, by their ids. */
async function replies(scene: ConnectionScene): Promise<ReadonlyMap<unknown, unknown>> {
  const came = resultOf(await scene.ask('test/replies'))['replies'];
  return new Map(came as [unknown, unknown][]);
}

describe('a request whose server asks the client', () => {
  it('goes on once: the state of it is good for one round', async () => {
    await using scene = openStdio(['hostile-server.mjs']);
    const { serverRequests, state } = askedOf(await scene.call('ask'));
    expect(serverRequests).toEqual({ q1: { method: 'elicitation/create', params: { message: 'question 0' } } });
    expect(JSON.parse(wordsOf(await goOn(scene, state, { q1: yes })))).toEqual([yes]);
    for (const again of [state, 'made up', undefined]) {
      const continuation = { state: again, inputResponses: { q1: yes } };
      expect((await failureOf(scene.call('ask', {}, { continuation }))).code).toBe('INPUT_STATE_REFUSED');
    }
  });

  it('may ask for more than one thing, and asks again for what was not answered', async () => {
    await using scene = openStdio(['hostile-server.mjs']);
    const first = askedOf(await scene.call('ask', { questions: 3 }));
    await untilHeard(scene);
    const second = askedOf(await goOn(scene, first.state, { q1: yes }));
    expect(Object.keys(second.serverRequests)).toEqual(['q2', 'q3']);
    const third = askedOf(await goOn(scene, second.state, { q2: yes, q3: 'no object', q9: yes }));
    expect(Object.keys(third.serverRequests)).toEqual(['q3']);
    expect(JSON.parse(wordsOf(await goOn(scene, third.state, { q3: { action: 'decline' } })))).toEqual([yes, yes, { action: 'decline' }]);
  });

  it('hears of a client that has answered with an error as the protocol says it', async () => {
    await using scene = openStdio(['hostile-server.mjs']);
    const { state } = askedOf(await scene.call('ask'));
    const answer = await goOn(scene, state, { q1: { 'devs/error': { code: -1, message: 'The user said no.' } } });
    expect(JSON.parse(wordsOf(answer))).toEqual([{ code: -1, message: 'The user said no.' }]);
  });

  it('may be answered meanwhile: whoever comes back gets that', async () => {
    await using scene = openStdio(['hostile-server.mjs']);
    const { state } = askedOf(await scene.call('ask', { early: 'never mind' }));
    await untilHeard(scene);
    expect(wordsOf(await goOn(scene, state, { q1: yes }))).toBe('never mind');
  });

  it('keeps no more of such answers than a message may be large', async () => {
    await using scene = openStdio(['hostile-server.mjs'], { limits: { keptBytes: 1_500 } });
    const states = [];
    for (let count = 0; count < 2; count += 1) states.push(askedOf(await scene.call('ask', { early: 'x'.repeat(1_000) })).state);
    await untilHeard(scene);
    const [first = '', second = ''] = states;
    expect((await failureOf(goOn(scene, second, {}))).code).toBe('UPSTREAM_ANSWER_REFUSED');
    expect(wordsOf(await goOn(scene, first, {}))).toHaveLength(1_000);
    // What was fetched is not counted any more.
    const { state } = askedOf(await scene.call('ask', { early: 'y'.repeat(1_000) }));
    await untilHeard(scene);
    expect(wordsOf(await goOn(scene, state, {}))).toHaveLength(1_000);
  });

  it('keeps an answer of very many values for what it takes in memory', async () => {
    const values = { content: [], structuredContent: { list: Array.from({ length: 3_000 }, () => []) } };
    for (const [keptBytes, isKept] of [[150_000, false], [300_000, true]] as const) {
      await using scene = openStdio(['hostile-server.mjs'], { limits: { keptBytes } });
      const { state } = askedOf(await scene.call('ask', { earlyResult: values }));
      await untilHeard(scene);
      const [outcome] = await Promise.allSettled([goOn(scene, state, {})]);
      expect(outcome.status === 'fulfilled').toBe(isKept);
    }
  });

  it('is held for no server beside so many others', async () => {
    await using scene = openStdio(['hostile-server.mjs'], { limits: { held: 2 } });
    for (let count = 0; count < 2; count += 1) askedOf(await scene.call('ask'));
    expect(JSON.parse(wordsOf(await scene.call('ask')))).toEqual([{ code: -32_603, message: 'The client cannot be asked.' }]);
  });

  it('asks no more than sixteen things at once', async () => {
    await using scene = openStdio(['hostile-server.mjs']);
    const { state } = askedOf(await scene.call('ask', { questions: 20 }));
    await untilHeard(scene);
    const { serverRequests } = askedOf(await goOn(scene, state, {}));
    expect(Object.keys(serverRequests)).toHaveLength(16);
  });

  it('is ended when nobody comes back, its question cancelled', async () => {
    const clock = createClock();
    await using scene = openStdio(['hostile-server.mjs'], { timers: { ...clock.timers, sleep: async (ms, signal) => (ms === 77_777 ? clock.timers.sleep(ms, signal) : hasty.sleep(ms, signal)) }, limits: { holdMs: 77_777 } });
    const { state } = askedOf(await scene.call('ask'));
    clock.advance(77_777);
    await until(async () => (await replies(scene)).size > 0);
    expect([...(await replies(scene)).values()]).toEqual([{ action: 'cancel' }]);
    expect((await failureOf(goOn(scene, state, { q1: yes }))).code).toBe('INPUT_STATE_REFUSED');
    expect(JSON.parse(wordsOf(await scene.call('seen')))).toContainEqual({ method: 'notifications/cancelled', params: expect.anything() });
  });

  it('is never gone on with in another process', async () => {
    await using scene = openStdio(['hostile-server.mjs'], { timers: hasty });
    const { state } = askedOf(await scene.call('ask'));
    const [pid = 0]: number[] = JSON.parse(wordsOf(await scene.call('pids')));
    process.kill(pid, 'SIGKILL');
    await until(() => scene.events.some(({ kind }) => kind === 'lost'));
    expect((await failureOf(goOn(scene, state, { q1: yes }))).code).toBe('INPUT_STATE_REFUSED');
    expect((await replies(scene)).size).toBe(0);
  });

  it('belongs to the latest that asks nothing yet', async () => {
    await using scene = openStdio(['hostile-server.mjs']);
    const stop = new AbortController();
    const first = scene.call('silent', {}, { signal: stop.signal });
    // The first question holds the call that has asked; the second finds that one only that holds none.
    const second = scene.call('ask', { questions: 2 });
    expect(Object.keys(askedOf(await second).serverRequests)).toEqual(['q1']);
    expect(askedOf(await first).serverRequests).toEqual({ q1: { method: 'elicitation/create', params: { message: 'question 1' } } });
  });
});

describe('a question of a server', () => {
  it('that the client did not declare is refused, and belongs to nobody', async () => {
    await using scene = openStdio(['hostile-server.mjs'], { info: { ...CLIENT, capabilities: { elicitation: {} } } });
    for (const method of ['sampling/createMessage', 'roots/list', 'tasks/list']) {
      expect(JSON.parse(wordsOf(await scene.call('ask', { method })))).toEqual([{ code: -32_601, message: 'Method not found' }]);
    }
    expect(scene.said).toContainEqual(expect.objectContaining({ event: 'UPSTREAM_NOISE', problem: 'a request that it must not make' }));
  });

  it('outside of a request reaches the client for its roots alone', async () => {
    const asked: unknown[] = [];
    const ask = async (serverRequest: { readonly method: string }) => {
      asked.push(serverRequest);
      return { roots: [{ uri: 'file:///project' }] };
    };
    await using scene = openStdio(['hostile-server.mjs'], { ask });
    await scene.call('outside');
    await until(async () => (await replies(scene)).size === 5);
    const came = await replies(scene);
    expect(asked).toEqual([{ method: 'roots/list' }]);
    expect(came.get('outside roots/list')).toEqual({ roots: [{ uri: 'file:///project' }] });
    expect(came.get('outside elicitation/create')).toBe(-32_603);
    expect(came.get('outside sampling/createMessage')).toBe(-32_601);
    expect(came.get('outside tasks/list')).toBe(-32_601);
    expect(came.get('outside ping')).toEqual({});
  });

  it('outside of a request that the client cannot answer is answered for it', async () => {
    await using scene = openStdio(['hostile-server.mjs'], { ask: async () => Promise.reject(new Error('no')) });
    await scene.call('outside');
    await until(async () => (await replies(scene)).get('outside roots/list') === -32_603);
  });
});

describe('what a server says unasked', () => {
  it('is handed on up to a limit, however much it says', async () => {
    const clock = createClock();
    const timers = { ...hasty, monotonicMs: () => clock.timers.monotonicMs() };
    await using scene = openStdio(['hostile-server.mjs'], { timers, limits: { notificationBurst: 50, notificationsPerSecond: 10 } });
    let notifications = 0;
    const onNotice = () => {
      notifications += 1;
    };
    expect(wordsOf(await scene.call('progress_flood', { count: 100_000 }, { onNotice }))).toBe('done');
    expect(notifications).toBe(50);
    clock.advance(1_000);
    await scene.call('progress_flood', { count: 1_000 }, { onNotice });
    expect(notifications).toBe(60);
    await scene.call('flood');
    expect(scene.events.filter(({ kind }) => kind === 'log')).toHaveLength(0);
  });

  it('of changes is told at once, and once more for ten thousand', async () => {
    const clock = createClock();
    await using scene = openStdio(['hostile-server.mjs', '--tools=growing'], { timers: clock.timers });
    await scene.call('change_a_lot');
    expect(scene.events).toEqual([{ kind: 'tools-changed' }]);
    clock.advance(250);
    await until(() => scene.events.length === 2);
  });

  it('goes to the log of the connection where no request hears it', async () => {
    await using scene = openStdio(['hostile-server.mjs'], { limits: { notificationBurst: 3, notificationsPerSecond: 0 } });
    await scene.call('flood');
    expect(scene.events).toEqual(Array.from({ length: 3 }, () => ({ kind: 'log', notice: { kind: 'log', level: 'info', data: 'x'.repeat(1_000) } })));
  });
});
