import { describe, expect, it } from '@jest/globals';
import { AnthropicClient, type AnthropicClientOptions } from '../anthropic/anthropic-client.ts';
import type { LlmEvent, LlmRequest } from '../llm-client.ts';
import { answers, eventsOf, fails, sends, startFakeApi, text, toolUse, toSse, type Turn } from './fake-api.ts';
import { FakeTimer } from './fake-timer.ts';

const KEY = ['sk', 'test', 'k'.repeat(20)].join('-');
const request: LlmRequest = { model: 'fake', maxTokens: 100, system: 'be good', messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], tools: [] };
/** Times of their own, so that a test can name the one that is up. */
const TIMES = { firstByteTimeoutMs: 111, idleTimeoutMs: 222, answerTimeoutMs: 333_333 };
const isBackOff = (milliseconds: number) => milliseconds >= 300 || milliseconds === 5;

async function ask(turns: readonly Turn[], options: Partial<AnthropicClientOptions> = {}, signal = new AbortController().signal) {
  await using api = await startFakeApi(turns);
  const timer = new FakeTimer(isBackOff);
  const client = new AnthropicClient({ apiKey: KEY, baseUrl: api.url, timer, random: () => 0, limits: TIMES, ...options });
  const events: LlmEvent[] = [];
  let failure: unknown;
  try {
    for await (const event of client.stream(request, signal)) events.push(event);
  } catch (cause) {
    failure = cause;
  }
  const last = events.at(-1);
  return { events, failure, asked: api.asked, timer, answer: last?.type === 'answer' ? last.answer : undefined };
}

const whole = answers([text('all is well'), toolUse('c1', 'read_file', { path: 'ü👍' })], 'tool_use');

describe('AnthropicClient', () => {
  it('streams text, then gives the whole answer and its tokens', async () => {
    const { events, answer, asked } = await ask([whole]);
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual(['all is ', 'well']);
    expect(answer).toMatchObject({
      response: { stop_reason: 'tool_use', content: [{ type: 'text', text: 'all is well' }, { type: 'tool_use', id: 'c1', input: { path: 'ü👍' } }] },
      usage: { inputTokens: 10, outputTokens: 20, cacheCreationInputTokens: 2, cacheReadInputTokens: 3 },
    });
    expect(asked).toMatchObject([{ url: '/v1/messages', body: { model: 'fake', max_tokens: 100, system: 'be good', stream: true, messages: request.messages } }]);
    expect(asked[0]?.headers['anthropic-version']).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(JSON.stringify(asked[0]?.headers)).toContain(KEY);
  });

  it.each([
    ['trailing garbage', '{"path":"a"} and more'],
    ['a key twice', '{"path":"a","path":"b"}'],
    ['a half', '{"path":"a'],
  ])('leaves an input with %s as the text that it is', async (_name, input) => {
    const { answer } = await ask([answers([toolUse('c1', 'read_file', input)], 'tool_use')]);
    expect(answer?.response.content).toMatchObject([{ input }]);
  });
});

describe('retries', () => {
  it.each([
    [429, {}, 500],
    [529, {}, 500],
    [500, {}, 500],
    [408, {}, 500],
    [429, { 'retry-after': '7' }, 7_000],
    [529, { 'retry-after': '2' }, 2_000],
    [429, { 'retry-after': '86400' }, 60_000],
    [429, { 'retry-after-ms': '5' }, 5],
    [429, { 'retry-after': 'soon' }, 500],
    [429, { 'retry-after': '-1' }, 500],
    [429, { 'retry-after': 'Infinity' }, 60_000],
  ])('after %i with %j it waits %i ms and asks again', async (status, headers, waitMs) => {
    const { events, answer, asked, timer } = await ask([fails(status, headers), whole]);
    expect(events[0]).toMatchObject({ type: 'retry', attempt: 1, waitMs });
    expect(timer.slept).toContain(waitMs);
    expect({ asked: asked.length, whole: answer !== undefined }).toEqual({ asked: 2, whole: true });
  });

  it('ends after five requests, each wait twice as long', async () => {
    const { events, failure, asked } = await ask(Array.from({ length: 9 }, () => fails(529)));
    expect(asked).toHaveLength(5);
    expect(events).toMatchObject([500, 1_000, 2_000, 4_000].map((waitMs) => ({ type: 'retry', waitMs })));
    expect(failure).toMatchObject({ kind: 'overloaded', message: 'The API is overloaded (529): as scripted.' });
  });

  it.each([
    [400, 'request_refused'],
    [401, 'not_authorized'],
    [403, 'not_authorized'],
    [404, 'request_refused'],
    [413, 'request_refused'],
  ])('does not ask again after %i', async (status, kind) => {
    const { failure, asked } = await ask([fails(status), whole]);
    expect(asked).toHaveLength(1);
    expect(failure).toMatchObject({ kind });
  });

  it('does as the API says with x-should-retry', async () => {
    expect((await ask([fails(529, { 'x-should-retry': 'false' }), whole])).asked).toHaveLength(1);
    expect((await ask([fails(400, { 'x-should-retry': 'true' }), whole])).asked).toHaveLength(2);
  });

  const events = eventsOf([text('all is well')], 'end_turn').map(toSse);
  const callEvents = eventsOf([toolUse('c1', 'read_file', {})], 'tool_use').map(toSse);
  const withoutEvent = (type: string) => callEvents.filter((event) => !event.includes(`"type":"${type}"`)).join('');
  it.each([
    ['cut in the middle', sends(events.slice(0, 4).join(''), 'end')],
    ['broken in the middle', sends(events.slice(0, 4).join(''), 'break')],
    ['without its last event', sends(events.slice(0, -1).join(''))],
    ['empty', sends('')],
    ['that begins in its middle', sends(events.slice(1).join(''))],
    ['of no JSON', sends('event: message_start\ndata: {oh\n\n')],
    ['with blocks out of order', sends(events[0] + toSse({ type: 'content_block_start', index: 7, content_block: { type: 'text', text: '' } }))],
    ['that adds to no block', sends(events[0] + toSse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } }))],
    ['that adds to what is inherited', sends(events[0] + toSse({ type: 'content_block_delta', index: 'constructor', delta: { type: 'text_delta', text: 'x' } }))],
    ['with an overload inside', sends(events.slice(0, 3).join('') + toSse({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }))],
    ['that ends in the middle of a call', sends(withoutEvent('content_block_stop'))],
    ['that ends without a reason', sends(withoutEvent('message_delta'))],
    ['that begins a block in another', sends(callEvents.slice(0, 2).join('') + toSse({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }))],
    ['that goes on behind its end', sends(callEvents.slice(0, -1).join('') + toSse({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }))],
    ['that never comes', (response: Parameters<Turn>[0]) => void response.destroy()],
  ])('a stream %s is asked for again', async (_name, turn) => {
    const { events: told, asked, answer } = await ask([turn, whole]);
    expect(asked).toHaveLength(2);
    expect(told.find(({ type }) => type === 'retry')).toMatchObject({ attempt: 1, waitMs: 500 });
    expect(answer).toBeDefined();
  });
});

describe('bounds', () => {
  it('ends an answer of 50 MB, and does not ask for it again', async () => {
    const line = toSse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(1_000_000) } });
    const start = eventsOf([text('')], 'end_turn').slice(0, 3).map(toSse).join('');
    const { failure, asked } = await ask([sends(start + line.repeat(50)), whole]);
    expect(failure).toMatchObject({ kind: 'too_large', message: 'The answer is larger than 33554432 bytes.' });
    expect(asked).toHaveLength(1);
  });

  it('ends an answer of 5,000 blocks', async () => {
    const { failure } = await ask([answers(Array.from({ length: 5_000 }, () => text('x'))), whole]);
    expect(failure).toMatchObject({ kind: 'too_large' });
  });

  it('holds no error page of 50 MB', async () => {
    const { failure } = await ask([
      (response) => {
        response.writeHead(400, { 'content-type': 'text/html' });
        response.end('x'.repeat(50_000_000));
      },
    ]);
    expect(failure).toMatchObject({ kind: 'request_refused' });
  });

  it.each([
    ['that does not begin', () => undefined, 111],
    ['that falls silent', sends(eventsOf([text('hi')], 'end_turn').slice(0, 4).map(toSse).join(''), 'silence'), 222],
  ])('an answer %s is given up', async (_name, turn, time) => {
    const timer = new FakeTimer((milliseconds) => milliseconds >= 300 || milliseconds === time);
    // The time is up at once, so the parts that come are lost too: that it is given up is what counts.
    const { failure } = await ask([turn, turn], { timer, maxAttempts: 2 });
    expect(failure).toMatchObject({ kind: 'timeout' });
  });

  it('a request that is given up holds no connection', async () => {
    const [arrived, closed] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const timer = new FakeTimer((milliseconds) => milliseconds === 111);
    const turn: Turn = (response) => {
      response.on('close', () => closed.resolve('closed'));
      arrived.resolve('arrived');
    };
    // Not before the request is there: a time that is up sooner would end it on its way.
    timer.sleep = async (milliseconds, signal) => {
      if (milliseconds === 111) await arrived.promise;
      else await FakeTimer.prototype.sleep.call(timer, milliseconds, signal);
    };
    await using api = await startFakeApi([turn]);
    const client = new AnthropicClient({ apiKey: KEY, baseUrl: api.url, timer, limits: TIMES, maxAttempts: 1 });
    await expect(client.stream(request, new AbortController().signal).next()).rejects.toMatchObject({ kind: 'timeout' });
    expect(await closed.promise).toBe('closed');
  });

  it('is stopped in the middle of an answer, and while it waits', async () => {
    const stop = new AbortController();
    const stopping: Turn = async (response) => {
      await sends(eventsOf([text('hi')], 'end_turn').slice(0, 4).map(toSse).join(''), 'silence')(response);
      stop.abort();
    };
    expect((await ask([stopping, whole], {}, stop.signal)).failure).toMatchObject({ kind: 'aborted' });
    const waiting = new AbortController();
    const failing: Turn = (response, asked) => {
      void fails(529)(response, asked);
      setTimeout(() => waiting.abort(), 20);
    };
    const { failure, asked } = await ask([failing, whole], { timer: new FakeTimer() }, waiting.signal);
    expect(failure).toMatchObject({ kind: 'aborted' });
    expect(asked).toHaveLength(1);
  });
});

describe('a hostile API', () => {
  it('is not followed elsewhere', async () => {
    await using other = await startFakeApi([whole]);
    const { failure } = await ask([(response) => void response.writeHead(307, { location: `${other.url}/v1/messages` }).end()], { maxAttempts: 1 });
    expect(failure).toMatchObject({ kind: 'connection' });
    expect(other.asked).toEqual([]);
  });

  it('is sent no header that devs does not name, whatever the environment adds for the SDK', async () => {
    const before = process.env['ANTHROPIC_CUSTOM_HEADERS'];
    process.env['ANTHROPIC_CUSTOM_HEADERS'] = 'Authorization: Bearer other\nX-Secret: other';
    try {
      const { asked } = await ask([whole]);
      expect(asked[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
      expect(JSON.stringify(asked[0]?.headers)).not.toContain('other');
    } finally {
      if (before === undefined) delete process.env['ANTHROPIC_CUSTOM_HEADERS'];
      else process.env['ANTHROPIC_CUSTOM_HEADERS'] = before;
    }
  });

  it('cannot have the key shown', async () => {
    const { failure } = await ask([fails(400, {}, `your key is ${KEY}, and ${'x'.repeat(270)} ${KEY}`)]);
    expect(failure).toMatchObject({ message: expect.stringContaining('your key is [key]') });
    expect(String(failure)).not.toContain(KEY.slice(0, 12));
  });

  it('that answers with a page says so', async () => {
    const { failure, asked } = await ask([(response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), whole]);
    expect(failure).toMatchObject({ kind: 'bad_answer', message: expect.stringContaining('ANTHROPIC_BASE_URL') });
    expect(asked).toHaveLength(1);
  });

  it('counts tokens that are none as none', async () => {
    const [start = {}, ...rest] = eventsOf([text('hi')], 'end_turn');
    const lying = { ...start, message: { usage: { input_tokens: -5, output_tokens: 'many', cache_read_input_tokens: 1e300 } } };
    const { answer } = await ask([sends([lying, ...rest].map(toSse).join(''))]);
    expect(answer?.usage).toEqual({ inputTokens: 0, outputTokens: 20, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 });
  });
});
