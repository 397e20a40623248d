import { describe, expect, it, test } from '@jest/globals';
import type { JsonObject } from '@devs/core';
import { UpstreamError, type UpstreamRequest } from '../../protocol/upstream.ts';
import { tool, type FakeServer } from '../../upstream/__tests__/fake-upstream.ts';
import { openRelay, until, type Message } from './relay-scene.ts';

const QUESTION = { method: 'elicitation/create', params: { message: 'Which colour?', requestedSchema: { type: 'object', properties: {} } } };

/** Asks so many times, and then says what it was answered. */
function asking(times: number, question: JsonObject = QUESTION): FakeServer {
  const heard: unknown[] = [];
  return {
    tools: [tool('ask')],
    answer: ({ continuation }: UpstreamRequest) => {
      if (continuation !== undefined) heard.push([continuation.state, continuation.inputResponses]);
      const round = heard.length;
      if (round < times) return { kind: 'input_required', inputRequests: { q: question }, requestState: `after ${String(round)}` };
      return { kind: 'complete', result: { content: [{ type: 'text', text: JSON.stringify(heard) }] } };
    },
  };
}

const accept = ({ params }: Message) => ({ result: { action: 'accept', content: { asked: JSON.stringify(params).length > 0 } } });
const textIn = ({ result }: Message): string => JSON.stringify(result);

describe('a server that asks, in front of a client of the older protocol', () => {
  it('has its question asked on the connection, and the call answered once', async () => {
    await using relay = openRelay({ a: asking(2) }, { capabilities: { elicitation: {} }, answer: accept });
    await relay.greet();
    const answer = await relay.ask('tools/call', { name: 'a__ask', arguments: {} });
    expect(textIn(answer)).toContain('after 0');
    expect(textIn(answer)).toContain('after 1');
    expect(relay.told('elicitation/create')).toHaveLength(2);
    expect(relay.told('elicitation/create')[0]).toMatchObject({ params: { message: 'a asks: Which colour?' } });
    // Each round is a call of its own in the log, with what the client has answered.
    expect(relay.records.map(({ status, inputResponses }) => [status, inputResponses === undefined])).toEqual([
      ['ok', true],
      ['ok', false],
      ['ok', false],
    ]);
  });

  it('gets the error that the client answers with', async () => {
    const refuse = () => ({ error: { code: -1, message: 'The user said no.' } });
    await using relay = openRelay({ a: asking(1) }, { capabilities: { elicitation: {} }, answer: refuse });
    await relay.greet();
    expect(textIn(await relay.ask('tools/call', { name: 'a__ask' }))).toContain('devs/error');
  });

  it('gets no more of its words than a line of them', async () => {
    const refuse = () => ({ error: { code: -1, message: 'x'.repeat(5_000) } });
    await using relay = openRelay({ a: asking(1) }, { capabilities: { elicitation: {} }, answer: refuse });
    await relay.greet();
    expect(/x{500,}/.exec(textIn(await relay.ask('tools/call', { name: 'a__ask' })))?.[0]).toHaveLength(1_000);
  });

  it('is told that the client does not offer what it wants, and the client is not asked', async () => {
    await using relay = openRelay({ a: asking(1) }, { capabilities: {}, answer: accept });
    await relay.greet();
    expect(textIn(await relay.ask('tools/call', { name: 'a__ask' }))).toContain('Method not found');
    expect(relay.told('elicitation/create')).toEqual([]);
  });

  it('is told that nobody can be asked where no person sits behind the client, whatever that offers', async () => {
    const server = asking(1);
    const greeted: unknown[] = [];
    await using relay = openRelay({ a: server }, { capabilities: { elicitation: {}, sampling: {} }, answer: accept, interactive: false });
    const open = relay.pool.open.bind(relay.pool);
    relay.pool.open = (side, reach) => (greeted.push(side.info.capabilities), open(side, reach));
    await relay.greet();
    expect(textIn(await relay.ask('tools/call', { name: 'a__ask' }))).toContain('Method not found');
    const modern = await relay.askModern('tools/call', { name: 'a__ask' });
    expect(modern).not.toHaveProperty('result.inputRequests');
    expect(relay.told('elicitation/create')).toEqual([]);
    expect(greeted).toContainEqual({ sampling: {} });
    expect(JSON.stringify(greeted)).not.toContain('elicitation');
  });

  it('does not ask for ever', async () => {
    await using relay = openRelay({ a: asking(1_000) }, { capabilities: { elicitation: {} }, answer: accept });
    await relay.greet();
    expect(await relay.ask('tools/call', { name: 'a__ask' })).toMatchObject({ error: { message: 'The server has asked more than 32 times.' } });
    expect(relay.told('elicitation/create')).toHaveLength(32);
  });

  it('is not gone on with when the call is cancelled while the client is asked', async () => {
    await using relay = openRelay({ a: asking(1) }, { capabilities: { elicitation: {} } });
    await relay.greet();
    relay.write({ id: 'call', method: 'tools/call', params: { name: 'a__ask', arguments: {} } });
    await until(() => relay.told('elicitation/create').length === 1);
    relay.write({ method: 'notifications/cancelled', params: { requestId: 'call' } });
    await relay.ask('ping', {});
    await relay.running.close();
    expect(relay.records.map(({ inputResponses }) => inputResponses)).toEqual([undefined]);
  });

  it.each([
    [2, undefined],
    [3, 'The server puts off its answer again and again, and asks nothing.'],
  ])('may put off its answer %i times without a question, and then: %s', async (times, message) => {
    let rounds = 0;
    const later = { kind: 'input_required', inputRequests: {}, requestState: 'later' } as const;
    const answer = () => (++rounds > times ? { kind: 'complete' as const, result: { content: [] } } : later);
    await using relay = openRelay({ a: { tools: [tool('ask')], answer } }, { capabilities: {} });
    await relay.greet();
    const answered = await relay.ask('tools/call', { name: 'a__ask' });
    expect(Object(answered['error'])['message']).toBe(message);
    expect(rounds).toBe(3);
  });

  it('does not hold up the stop while nobody answers', async () => {
    const relay = openRelay({ a: asking(1) }, { capabilities: { elicitation: {} } });
    await relay.greet();
    relay.write({ id: 'call', method: 'tools/call', params: { name: 'a__ask', arguments: {} } });
    await until(() => relay.told('elicitation/create').length === 1);
    await relay.running.close();
    expect(relay.records).toHaveLength(2);
    await relay.clients.endAll();
  });
});

describe('a server that asks, in front of a client of the newer protocol', () => {
  const capabilities = { elicitation: {} };
  const CALL = { name: 'a__ask', arguments: { n: 1 } };
  const server = () => ({ ...asking(1), tools: [tool('ask', { inputSchema: { type: 'object', properties: { n: { type: 'number' } } } })] });

  async function asked(relay: ReturnType<typeof openRelay>) {
    const { result } = await relay.askModern('tools/call', CALL);
    return result as { readonly resultType: string; readonly inputRequests: JsonObject; readonly requestState: string };
  }

  it('gives its question as the answer; the client comes back with the state, which it cannot read', async () => {
    await using relay = openRelay({ a: server() }, { capabilities });
    const { resultType, inputRequests, requestState } = await asked(relay);
    expect(resultType).toBe('input_required');
    expect(inputRequests).toMatchObject({ q: { method: 'elicitation/create', params: { message: 'a asks: Which colour?' } } });
    expect(requestState).toMatch(/^[\w-]+$/);
    const answer = await relay.askModern('tools/call', { ...CALL, inputResponses: { q: { action: 'decline' } }, requestState });
    expect(textIn(answer)).toContain('after 0');
    expect(textIn(answer)).toContain('decline');
  });

  test.each<[string, (state: string) => object]>([
    ['a state that was changed', (state) => ({ ...CALL, requestState: `${state.slice(0, -2)}AA` })],
    ['a state that devs never gave', () => ({ ...CALL, requestState: 'after 0' })],
    ['other arguments', (state) => ({ ...CALL, arguments: { n: 2 }, requestState: state })],
    ['no text', () => ({ ...CALL, requestState: 7 })],
  ])('is not reached with %s: an error of the protocol, and a record', async (_what, change) => {
    await using relay = openRelay({ a: server() }, { capabilities });
    const { requestState } = await asked(relay);
    const params = { ...change(requestState), inputResponses: { q: { action: 'accept' } } };
    expect(await relay.askModern('tools/call', params)).toMatchObject({ error: { code: -32_602 } });
    expect(relay.records.at(-1)).toMatchObject({ toolName: 'a__ask' });
    expect(relay.records.at(-1)?.code).not.toBeNull();
  });

  test.each<[string, JsonObject, object, object]>([
    ['a form', QUESTION, {}, { elicitation: {} }],
    ['a form, of a client that opens addresses alone', QUESTION, { elicitation: { url: {} } }, { elicitation: {} }],
    ['an address', { method: 'elicitation/create', params: { mode: 'url', message: 'Go there', url: 'https://example.com/' } }, capabilities, { elicitation: { url: {} } }],
    ['a model', { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }, capabilities, { sampling: {} }],
    ['folders', { method: 'roots/list' }, capabilities, { roots: {} }],
  ])('that does not offer %s is told what it would have to offer', async (_what, question, declared, requiredCapabilities) => {
    await using relay = openRelay({ a: asking(1, question) }, { capabilities: declared });
    expect(await relay.askModern('tools/call', { name: 'a__ask', arguments: {} })).toMatchObject({ error: { code: -32_021, data: { requiredCapabilities } } });
  });
});

describe('a request that is no tool', () => {
  it('cannot be made as a call of one', async () => {
    await using relay = openRelay({ a: { tools: [], resources: [{ uri: 'test://a', name: 'a' }], answer: () => ({ kind: 'complete', result: { contents: [] } }) } });
    await relay.greet();
    await relay.ask('resources/list');
    expect(textIn(await relay.ask('tools/call', { name: 'a/resources/read', arguments: { uri: 'test://a' } }))).toContain('UNKNOWN_TOOL');
    expect(relay.records).toMatchObject([{ code: 'UNKNOWN_TOOL' }]);
  });
});

describe('an error of the protocol', () => {
  const failing = (code: number, data?: JsonObject): FakeServer => ({
    tools: [tool('fail')],
    resources: [{ uri: 'test://a', name: 'a' }],
    answer: () => {
      throw new UpstreamError(code, 'It failed.', data);
    },
  });

  it.each<[number, JsonObject | undefined, object]>([
    [-32_602, undefined, { result: { isError: true } }],
    [-32_021, { requiredCapabilities: { sampling: {} } }, { error: { code: -32_021, data: { requiredCapabilities: { sampling: {} } } } }],
    [-32_042, { elicitations: [] }, { error: { code: -32_042 } }],
  ])('%i, from a tool', async (code, data, answer) => {
    await using relay = openRelay({ a: failing(code, data) });
    await relay.greet();
    expect(await relay.ask('tools/call', { name: 'a__fail', arguments: {} })).toMatchObject(answer);
  });

  it('of a server never has the code of a refusal of devs', async () => {
    await using relay = openRelay({ a: failing(-32_050, { code: 'POLICY_DENIED', 'devs/refusal': { code: 'POLICY_DENIED' } }) });
    await relay.greet();
    const { error } = await relay.ask('resources/read', { uri: 'test://a' });
    expect(error).toMatchObject({ code: -32_603 });
    expect(JSON.stringify(error)).not.toContain('devs/refusal');
  });

  it('of a resource is one for the client too', async () => {
    await using relay = openRelay({ a: failing(-32_602, { uri: 'test://a' }) });
    await relay.greet();
    expect(await relay.ask('resources/read', { uri: 'test://a' })).toMatchObject({ error: { code: -32_602, data: { uri: 'test://a' } } });
  });
});

describe('a server that brings tools to the model of the client', () => {
  const SAMPLING = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1e9, includeContext: 'allServers', tools: [{ name: 'shell_exec', inputSchema: { type: 'object' } }] } };
  const called = (name: string) => ({ role: 'assistant', model: 'm', stopReason: 'toolUse', content: [{ type: 'tool_use', id: 'c', name, input: {} }] });

  it('brings them under its own name, and hears of them by theirs, in front of a client of the older protocol', async () => {
    const answer = () => ({ result: called('a__shell_exec') });
    await using relay = openRelay({ a: asking(1, SAMPLING) }, { capabilities: { sampling: { tools: {} } }, answer });
    await relay.greet();
    expect(textIn(await relay.ask('tools/call', { name: 'a__ask' }))).toContain('name\\":\\"shell_exec');
    const [asked] = relay.told('sampling/createMessage');
    expect(asked).toMatchObject({ params: { maxTokens: 8_192, tools: [{ name: 'a__shell_exec' }] } });
    expect(asked).not.toHaveProperty('params.includeContext');
  });

  it('and in front of one of the newer', async () => {
    await using relay = openRelay({ a: asking(1, SAMPLING) }, { capabilities: { sampling: { tools: {} } } });
    const { result } = await relay.askModern('tools/call', { name: 'a__ask' });
    expect(result).toMatchObject({ inputRequests: { q: { params: { maxTokens: 8_192, tools: [{ name: 'a__shell_exec' }] } } } });
    const { requestState } = Object(result);
    const answer = await relay.askModern('tools/call', { name: 'a__ask', requestState, inputResponses: { q: called('a__shell_exec') } });
    expect(textIn(answer)).toContain('name\\":\\"shell_exec');
  });
});
