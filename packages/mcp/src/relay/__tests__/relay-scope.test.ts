import { describe, expect, it } from '@jest/globals';
import { silentLogger, type JsonObject, type RegisteredTool } from '@devs/core';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { GATEWAY_PROFILE } from '../../orchestrator/server-profile.ts';
import { OrchestratorServer } from '../../orchestrator/OrchestratorServer.ts';
import type { FakeServer } from '../../upstream/__tests__/fake-upstream.ts';
import { tool } from '../../upstream/__tests__/fake-upstream.ts';
import { createPoolScene, NOBODY } from '../../upstream/__tests__/pool-scene.ts';
import { RelayClients } from '../relay-clients.ts';
import { RelayHandlers } from '../../orchestrator/handlers/relay-handlers.ts';
import { until } from './relay-scene.ts';

const GATE = Promise.withResolvers<undefined>();
const SERVER: FakeServer = {
  tools: [tool('t'), tool('wait')],
  resources: [{ uri: 'a:1', name: 'a' }],
  prompts: [{ name: 'p' }],
  answer: async ({ params }) => {
    if (params['name'] === 'wait') await GATE.promise;
    return { kind: 'complete', result: { content: [], contents: [], messages: [] } };
  },
};

/** A client that may call the tools of the server, and ask it nothing else. */
function openNarrow() {
  const { pool, registry, proxy, instances, records } = createPoolScene({ one: SERVER, two: { resources: [], prompts: [] } });
  const clients = new RelayClients({ pool, logger: silentLogger, cleanNotice: () => undefined });
  const client = clients.of({}, { era: 'legacy', protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } });
  const relay = new RelayHandlers({ proxy, registry, projectRoot: '/project' });
  const request = {
    id: 1,
    client,
    origin: { principal: 'token:narrow', channel: 'http' as const },
    agent: () => ({ agentId: 'c#1', turnIndex: 0, isNamed: true }),
    signal: NOBODY,
    admits: ({ isOperation }: RegisteredTool) => isOperation !== true,
    continuation: undefined,
    capabilities: {},
    meta: undefined,
    onNotice: undefined,
    wantsProgress: false,
  };
  /** The error, as far as it tells one request from another. */
  const askedOf = async (method: string, params: JsonObject) => {
    // With everything there: what is refused is refused for the scope.
    await client.instances.ready(NOBODY);
    const error: unknown = await relay.handle(method, { ...request, params }).catch((cause: unknown) => cause);
    const named = Object.values(params).find((value) => typeof value === 'string') ?? '';
    return JSON.stringify({ said: String(error), error }).replace(/"callId":"[^"]*"/g, '').replaceAll(String(named), 'NAMED');
  };
  return { askedOf, instances, records, list: async (method: string) => relay.handle(method, { ...request, params: {} }) };
}

describe('a client that may not ask a server', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['resources/read', { uri: 'a:1' }, { uri: 'a:2' }],
    ['resources/subscribe', { uri: 'a:1' }, { uri: 'a:2' }],
    ['prompts/get', { name: 'one__p' }, { name: 'one__q' }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'a:1' }, argument: { name: 'x', value: '' } }, { ref: { type: 'ref/resource', uri: 'a:2' }, argument: { name: 'x', value: '' } }],
  ])('is told by %s of what is there what it is told of what is not', async (method, there, nowhere) => {
    const { askedOf, instances, records } = openNarrow();
    expect(await askedOf(method, there)).toBe(await askedOf(method, nowhere));
    expect(instances.flatMap(({ asked }) => asked.map((request) => request.method)).filter((asked) => asked === method)).toEqual([]);
    expect(records.map(({ code }) => code)).toEqual(method === 'resources/subscribe' ? [] : ['RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND'].map((code) => (method === 'prompts/get' ? 'PROMPT_NOT_FOUND' : code)));
  });
});

it.each(['resources/list', 'resources/templates/list', 'prompts/list'])('a client that may not ask a server is shown nothing of it by %s', async (method) => {
  expect(Object.values(await openNarrow().list(method))).toEqual([[]]);
});

const INFO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

/** Clients of one caller that may see the tools of one server alone, each on a connection of its own. */
function openScoped(allows = ({ name }: { readonly name: string }) => name.startsWith('one__')) {
  const scene = createPoolScene({ one: SERVER, two: SERVER });
  const clients = new RelayClients({ pool: scene.pool, logger: silentLogger, cleanNotice: (notice) => notice as never });
  const server = new OrchestratorServer({ registry: scene.registry, proxy: scene.proxy, projectRoot: '/project', version: '1', profile: () => GATEWAY_PROFILE, clients });
  const connect = async () => {
    const heard: JSONRPCMessage[] = [];
    const transport: Transport = { start: async () => undefined, close: async () => undefined, send: async (message) => void heard.push(message) };
    await server.createProtocolServer({ origin: { principal: 'token:scoped', channel: 'http' }, key: {}, allows }).connect(transport);
    const ask = async (id: number, method: string, params: object) => {
      transport.onmessage?.({ jsonrpc: '2.0', id, method, params: { ...params } });
      await until(() => heard.some((message) => 'id' in message && message.id === id));
      return heard.find((message) => 'id' in message && message.id === id);
    };
    await ask(1, 'initialize', INFO);
    return { heard, ask };
  };
  return { ...scene, connect };
}

describe('a caller of a narrow scope', () => {
  it('hears nothing of what a server says whose tools are not for it', async () => {
    const { connect, instances } = openScoped();
    const { ask, heard } = await connect();
    await ask(2, 'tools/list', {});
    for (const { name, client } of instances) client.onEvent({ kind: 'log', notice: { kind: 'log', level: 'error', data: `said by ${name}` } });
    await until(() => heard.some((message) => JSON.stringify(message).includes('said by')));
    expect(JSON.stringify(heard)).toContain('said by one');
    expect(JSON.stringify(heard)).not.toContain('said by two');
  });

  it('reaches no tool, prompt or resource that its scope does not have', async () => {
    const { connect, instances, records } = openScoped();
    const { ask } = await connect();
    await ask(2, 'tools/list', {});
    await ask(3, 'tools/call', { name: 'two__t', arguments: {} });
    await ask(4, 'prompts/get', { name: 'two__p' });
    await ask(5, 'prompts/get', { name: 'one__p' });
    await ask(6, 'tools/call', { name: 'one__t', arguments: {} });
    expect(records.map(({ toolName, code }) => [toolName, code])).toEqual([
      ['two__t', 'UNKNOWN_TOOL'],
      ['two/prompts/get', 'PROMPT_NOT_FOUND'],
      // Its patterns name tools of this server, and none of what else it can be asked.
      ['one/prompts/get', 'PROMPT_NOT_FOUND'],
      ['one__t', null],
    ]);
    expect(instances.map(({ name, asked }) => [name, asked.map(({ method }) => method).filter((method) => !method.endsWith('/list'))])).toEqual([['one', ['tools/call']], ['two', []]]);
  });

  it('that says of itself what cannot be is asked nothing for', async () => {
    const { connect, instances, records } = openScoped(() => true);
    const { ask } = await connect();
    await ask(2, 'tools/list', {});
    expect(await ask(3, 'prompts/get', { name: 'one__p', _meta: { 'devs/context': 7 } })).toMatchObject({ error: { data: { code: 'CONTEXT_REFUSED' } } });
    expect(instances.map(({ asked }) => asked.filter(({ method }) => method === 'prompts/get').length)).toEqual([0, 0]);
    expect(records.map(({ code }) => code)).not.toContain(null);
  });

  it('is refused, and that is logged, when its clients are all at work with the servers that are kept for it', async () => {
    const { connect, records } = openScoped();
    const waiting: Promise<unknown>[] = [];
    for (let count = 0; count < 32; count += 1) {
      const { ask } = await connect();
      waiting.push(ask(2, 'tools/call', { name: 'one__wait', arguments: {} }));
    }
    const { ask } = await connect();
    expect(await ask(2, 'tools/call', { name: 'one__t', arguments: {} })).toMatchObject({ result: { isError: true, _meta: { 'devs/refusal': { code: 'TOO_MANY_CALLS' } } } });
    expect(records.map(({ code }) => code)).toContain('TOO_MANY_CALLS');
    expect(await ask(3, 'resources/list', {})).toMatchObject({ error: { data: { code: 'TOO_MANY_CALLS' } } });
    GATE.resolve(undefined);
    await Promise.all(waiting);
  });
});
