import { describe, expect, it, jest } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Server } from '@modelcontextprotocol/server';
import type { Connection } from '../orchestrator/OrchestratorServer.ts';
import { beginSession, callOf, echoCall, headersOf, initialize, openWire, startHttp, textOf, turns, until, type Asked, type Served } from './http-wire.ts';

const LEGACY = { 'mcp-protocol-version': '2025-11-25' };
const LISTEN: Asked = { method: 'GET', headers: { ...LEGACY, accept: 'text/event-stream' } };
const END: Asked = { method: 'DELETE', headers: LEGACY };

function notice(method: string, params: object = {}): Asked {
  return { headers: LEGACY, body: JSON.stringify({ jsonrpc: '2.0', method, params }) };
}

/** A session whose own protocol server the test can speak as. */
async function openSession(served: Served): Promise<{ readonly session: Served; readonly server: Server; readonly connection: Connection }> {
  const created = jest.spyOn(served.server, 'createProtocolServer');
  const sessionId = await beginSession(served);
  const [[connection] = []] = created.mock.calls;
  const [result] = created.mock.results;
  created.mockRestore();
  if (connection === undefined || result?.type !== 'return') throw new Error('a session has a protocol server');
  return { session: { ...served, sessionId }, server: result.value, connection };
}

async function statusOf(served: Served, asked: Asked): Promise<number> {
  using wire = openWire(served);
  return (await wire.ask(asked)).status;
}

describe('a session', () => {
  it('is what the official client of the older protocol has, until it ends it', async () => {
    await using served = await startHttp();
    const requestInit = { headers: { authorization: served.authorization } };
    const transport = new StreamableHTTPClientTransport(new URL(served.running.url), { requestInit });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(transport);
    expect(transport.sessionId).toMatch(/^[\w-]{43}$/);
    expect(served.running.activity().sessions).toBe(2);
    expect((await client.callTool({ name: 'echo', arguments: { text: 'hello' } })).content).toEqual([{ type: 'text', text: 'hello' }]);
    await transport.terminateSession();
    expect(served.running.activity().sessions).toBe(1);
    await client.close();
  });

  it('has one protocol server, a key of its own, and an id that nobody guesses', async () => {
    await using served = await startHttp();
    const [one, two] = [await openSession(served), await openSession(served)];
    expect(one.connection.key).not.toBe(two.connection.key);
    expect(one.session.sessionId).not.toBe(two.session.sessionId);
    const created = jest.spyOn(served.server, 'createProtocolServer');
    using wire = openWire(one.session);
    for (let id = 1; id <= 3; id += 1) expect(textOf(await wire.ask(echoCall('legacy', 'a', id)))).toBe('a');
    expect(created).not.toHaveBeenCalled();
    created.mockRestore();
  });

  it('answers with JSON where there is one message, and with events where there are more', async () => {
    await using served = await startHttp();
    const { session, server } = await openSession(served);
    using wire = openWire(session);
    expect((await wire.ask(echoCall('legacy'))).headers.get('content-type')).toBe('application/json');
    wire.send(callOf('legacy', { name: 'later', args: {}, id: 'slow' }));
    await until(() => served.started.includes('later'));
    await server.notification({ method: 'notifications/progress', params: { progressToken: 1, progress: 5 } }, { relatedRequestId: 'slow' });
    const reply = await wire.reply();
    expect(reply.headers.get('content-type')).toBe('text/event-stream');
    expect(reply.headers.get('x-accel-buffering')).toBe('no');
    expect(reply.body.match(/^data: /gm)).toHaveLength(2);
    expect(reply.body.indexOf('"progress":5')).toBeLessThan(reply.body.indexOf('late'));
    expect(textOf(reply)).toBe('late');
  });

  it('is told and asked things over GET, and answers by POST', async () => {
    await using served = await startHttp();
    const { session, server } = await openSession(served);
    using stream = openWire(session).send(LISTEN);
    await until(() => stream.received.includes('text/event-stream'));
    const asked = server.request({ method: 'ping' });
    await until(() => stream.received.includes('"method":"ping"'));
    const id: unknown = JSON.parse(/data: (.*)/.exec(stream.received)?.[1] ?? '{}').id;
    using wire = openWire(session);
    expect(await wire.ask({ headers: LEGACY, body: JSON.stringify({ jsonrpc: '2.0', id, result: {} }) })).toMatchObject({ status: 202, body: '' });
    await expect(asked).resolves.toEqual({});
    await server.sendToolListChanged().catch(() => undefined);
    expect(await statusOf(session, LISTEN)).toBe(409);
    stream.socket.destroy();
    // Who asks must know at once that nobody listens.
    await until(() => served.running.activity().requests === 0);
    await expect(server.request({ method: 'ping' })).rejects.toThrow('listens to no stream');
  });

  it('shows signs of life where nothing is said', async () => {
    await using served = await startHttp({ keepAliveMs: 20 });
    using stream = openWire(served).send(LISTEN);
    await until(() => stream.received.includes(': keepalive'));
    using call = openWire(served).send(callOf('legacy', { name: 'wait', args: {} }));
    await until(() => call.received.includes(': keepalive'));
    expect(call.received).toContain('text/event-stream');
  });

  it('ends by DELETE, with its streams and its calls, and is then unknown', async () => {
    await using served = await startHttp();
    const ended = jest.spyOn(served.server, 'endClient');
    const { session, connection } = await openSession(served);
    using stream = openWire(session).send(LISTEN);
    using call = openWire(session).send(callOf('legacy', { name: 'wait', args: {} }));
    await until(() => served.started.length === 1 && stream.received !== '');
    expect(await statusOf(session, END)).toBe(200);
    expect((await call.reply()).body).toBe('');
    await stream.reply();
    await until(() => served.records.length === 1);
    expect(served.records).toMatchObject([{ toolName: 'wait', code: 'CALL_CANCELLED' }]);
    for (const asked of [END, LISTEN, echoCall('legacy'), notice('notifications/initialized')]) expect(await statusOf(session, asked)).toBe(404);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(ended).toHaveBeenCalledWith(connection);
  });

  it.each([
    ['says so', async (session: Served) => statusOf(session, notice('notifications/cancelled', { requestId: 'gone' }))],
    ['hangs up', undefined],
  ])('cancels a call when its client %s, and keeps nothing of it', async (_name, cancel) => {
    await using served = await startHttp();
    const { session, connection } = await openSession(served);
    using call = openWire(session).send(callOf('legacy', { name: 'wait', args: {}, id: 'gone' }));
    await until(() => served.started.length === 1);
    if (cancel === undefined) call.socket.destroy();
    else expect([await cancel(session), (await call.reply()).body]).toEqual([202, '']);
    await until(() => served.records.length === 1 && served.running.activity().requests === 0);
    expect(served.records).toMatchObject([{ code: 'CALL_CANCELLED' }]);
    expect(connection.arrivals?.ids).toEqual([]);
    expect(await statusOf(session, echoCall('legacy', 'again', 'gone'))).toBe(200);
  });

  it('ends when nobody uses it, and not while somebody does', async () => {
    await using served = await startHttp({ sessionIdleMs: 1_000 });
    const { session } = await openSession(served);
    using stream = openWire(session).send(LISTEN);
    await until(() => stream.received !== '' && served.running.activity().sessions === 1);
    expect(await statusOf(session, echoCall('legacy'))).toBe(200);
    stream.socket.destroy();
    await until(() => served.running.activity().sessions === 0);
    expect(await statusOf(session, echoCall('legacy'))).toBe(404);
  });

  it('gives way to a new one when it is the longest idle of too many', async () => {
    await using served = await startHttp({ maxSessions: 2 });
    const second = { ...served, sessionId: await beginSession(served) };
    expect(await statusOf(served, echoCall('legacy'))).toBe(200);
    const third = { ...served, sessionId: await beginSession(served) };
    expect(served.running.activity().sessions).toBe(2);
    expect(await Promise.all([served, second, third].map(async (each) => statusOf(each, echoCall('legacy'))))).toEqual([200, 404, 200]);
  });

  it('is refused with 503 when all are in use', async () => {
    await using served = await startHttp({ maxSessions: 1 });
    using stream = openWire(served).send(LISTEN);
    await until(() => stream.received !== '');
    using wire = openWire(served);
    const reply = await wire.ask(initialize());
    expect(reply).toMatchObject({ status: 503, message: { id: 'hello', error: { code: -32_050 } } });
    expect(reply.headers.get('retry-after')).toBe('10');
    expect(await statusOf(served, echoCall('legacy'))).toBe(200);
    stream.socket.destroy();
    await until(() => served.running.activity().requests === 0);
    expect(await statusOf(served, initialize())).toBe(200);
  });

  it('is not kept for a client that goes before it has its answer', async () => {
    await using served = await startHttp();
    const create = served.server.createProtocolServer.bind(served.server);
    using wire = openWire(served);
    const created = jest.spyOn(served.server, 'createProtocolServer').mockImplementation((connection) => {
      wire.socket.destroy();
      const server = create(connection);
      const connect = server.connect.bind(server);
      return Object.assign(server, { connect: async (transport: Parameters<Server['connect']>[0]) => turns(20).then(async () => connect(transport)) });
    });
    wire.send(initialize());
    await until(() => created.mock.calls.length === 1);
    await until(() => served.running.activity().requests === 0);
    expect(served.running.activity().sessions).toBe(1);
    created.mockRestore();
  });

  it('ends with devs, which waits for no stream', async () => {
    const served = await startHttp();
    using stream = openWire(served).send(LISTEN);
    await until(() => stream.received !== '');
    await served.running.close();
    await stream.closed();
    expect(served.running.activity().sessions).toBe(0);
  });

  it('has its calls cancelled, and recorded so, when devs is to stop and they go on for longer than they get', async () => {
    const served = await startHttp({ graceMs: 20 });
    using legacy = openWire(served).send(callOf('legacy', { name: 'wait', args: {} }));
    using modern = openWire(served).send(callOf('modern', { name: 'wait', args: {} }));
    await until(() => served.started.length === 2);
    await served.running.close();
    await Promise.all([legacy.closed(), modern.closed()]);
    expect(served.records).toMatchObject([{ code: 'CALL_CANCELLED' }, { code: 'CALL_CANCELLED' }]);
  });

  it('does not keep its calls apart from those of the newer protocol, which knows no session', async () => {
    await using served = await startHttp();
    const asked = echoCall('modern');
    expect(await statusOf(served, { ...asked, headers: { ...asked.headers, 'mcp-session-id': 'anything' } })).toBe(200);
    expect(headersOf('modern', { method: 'x' })['mcp-session-id']).toBeUndefined();
  });
});
