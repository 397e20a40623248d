import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import { failureOf, NOBODY, resultOf, wordsOf, type ConnectionScene } from './connection-scene.ts';
import { until } from './processes.ts';

export interface ContractSubject {
  readonly era: 'legacy' | 'modern';
  readonly open: () => Promise<ConnectionScene>;
}

/** What holds for a connection to a server without fault, whichever transport and protocol it speaks. */
export function describeUpstream({ era, open }: ContractSubject): void {
  /** For the cases that leave a connection as it was: the start of a server takes longer than they do. */
  let scene: ConnectionScene;
  beforeAll(async () => {
    scene = await open();
  });
  afterAll(async () => scene[Symbol.asyncDispose]());

  it('is started when it is first asked for, and says what the server says of itself', async () => {
    await using own = await open();
    expect(own.upstream.info).toBeUndefined();
    const info = await own.upstream.ready(NOBODY);
    expect(info).toMatchObject({ era, serverInfo: { name: 'sdk', version: '1', title: 'The title' }, instructions: 'Be kind.' });
    expect(info.capabilities).toMatchObject({ tools: { listChanged: true } });
    expect(own.upstream.info).toEqual(info);
  });

  it('brings results as they came, and what belongs to the request', async () => {
    const result = resultOf(await scene.ask('tools/call', { name: 'echo', arguments: { words: 'hi' }, _meta: { traceparent: '00-1' } }));
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'hi' }], structuredContent: { words: 'hi' }, future: { a: [1] }, _meta: { trace: '00-1' } });
    const { tools } = resultOf(await scene.ask('tools/list'));
    expect(tools).toContainEqual({ name: 'echo', inputSchema: { type: 'object' } });
  });

  it('brings the server’s errors', async () => {
    expect((await failureOf(scene.ask('nothing/here'))).code).toBe('rpc -32601');
  });

  it('answers many at once, each its own', async () => {
    const words = Array.from({ length: 40 }, (_, index) => `words ${index}`);
    const answers = await Promise.all(words.map(async (each) => scene.call('echo', { words: each })));
    expect(answers.map(wordsOf)).toEqual(words);
  });

  it('tells of progress to whoever asked for it', async () => {
    const notifications: unknown[] = [];
    expect(wordsOf(await scene.call('progress', {}, { onNotice: (notice) => notifications.push(notice) }))).toBe('done');
    expect(notifications).toEqual([1, 2].map((progress) => ({ kind: 'progress', progress, total: 2, message: `step ${progress}` })));
  });

  it('asks the server for progress where somebody wants to hear of it', async () => {
    const hear = { onNotice: () => undefined };
    for (const [request, word] of [[hear, 'a token'], [{ ...hear, wantsProgress: false }, 'no token'], [{}, 'no token']] as const) {
      expect(wordsOf(await scene.call('token', {}, request))).toBe(word);
    }
  });

  it('tells of the log during a request', async () => {
    const notifications: unknown[] = [];
    await scene.ask('logging/setLevel', { level: 'debug' });
    await scene.call('log', {}, { onNotice: (notice) => notifications.push(notice) });
    expect(notifications).toEqual([{ kind: 'log', level: 'warning', logger: 'the-logger', data: { words: 'careful' } }]);
  });

  it('ends a round with a question, and goes on with the answer', async () => {
    const asked = await scene.call('ask');
    if (asked.kind !== 'input_required' || !isRecord(asked.inputRequests)) throw new Error('nothing was asked');
    const [[key, question] = ['', undefined]] = Object.entries(asked.inputRequests);
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who are you?' } });
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    expect(wordsOf(await scene.call('ask', {}, { continuation: { inputResponses, state: asked.requestState } }))).toBe('accept Ada');
  });

  it('cancels at the server what nobody waits for', async () => {
    await scene.upstream.ready(NOBODY);
    const stop = new AbortController();
    const key = randomUUID();
    const waiting = failureOf(scene.call('wait', { key }, { signal: stop.signal }));
    await scene.call('echo', { words: 'the call before has reached the server' });
    stop.abort();
    expect((await waiting).code).toBe('CALL_CANCELLED');
    await until(async () => wordsOf(await scene.call('cancelled', { key })) === 'true');
  });

  it('tells of changes', async () => {
    await scene.ask('resources/subscribe', { uri: 'test://watched' });
    await until(async () => {
      await scene.call('change');
      return scene.events.some(({ kind }) => kind === 'tools-changed') && scene.events.some(({ kind }) => kind === 'resource-updated');
    });
    expect(scene.events).toContainEqual({ kind: 'resource-updated', uri: 'test://watched' });
    await scene.ask('resources/unsubscribe', { uri: 'test://watched' });
  });

  it('is asked whether it is there', async () => {
    expect(await scene.ask('ping')).toMatchObject({ kind: 'complete' });
  });

  it('takes nothing more once it is ended', async () => {
    await using own = await open();
    const waiting = failureOf(own.call('wait'));
    await own.call('echo', { words: 'x' });
    await own.upstream.end();
    expect((await waiting).code).toBe('UPSTREAM_LOST');
    expect((await failureOf(own.call('echo'))).code).toBe('UPSTREAM_UNAVAILABLE');
    expect(own.events).not.toContainEqual({ kind: 'lost' });
  });

  it('does not wait for a start that nobody wants any more', async () => {
    await using own = await open();
    expect((await failureOf(own.ask('ping', {}, { signal: AbortSignal.abort() }))).code).toBe('CALL_CANCELLED');
    expect(own.upstream.info).toBeUndefined();
  });
}
