import { describe, expect, it } from '@jest/globals';
import { mintNamedToken } from '../auth/named-token.ts';
import { Principals } from '../auth/principals.ts';
import { createToken } from '../auth/token.ts';
import { beginSession, callOf, echoCall, expectAlive, INITIALIZE, initialize, openWire, startHttp, textOf, until, type Asked, type Reply, type Served } from './http-wire.ts';

const LEGACY = { 'mcp-protocol-version': '2025-11-25' };
const CALL = echoCall('legacy');
const LISTEN: Asked = { method: 'GET', headers: LEGACY };
const END: Asked = { method: 'DELETE', headers: LEGACY };

async function ask(served: Served, asked: Asked): Promise<Reply> {
  using wire = openWire(served);
  return await wire.ask(asked);
}

function withHeaders(asked: Asked, headers: Record<string, string | undefined>): Asked {
  return { ...asked, headers: { ...asked.headers, ...headers } };
}

/** Two principals at one server, as two clients see it. */
async function startForTwo(): Promise<{ readonly served: Served; readonly one: Served; readonly other: Served }> {
  const token = createToken();
  const named = mintNamedToken();
  const principals = new Principals({ token });
  principals.update([{ ...named, name: 'other', scope: {}, createdAt: new Date().toISOString() }]);
  const served = await startHttp({ principals });
  const as = async (authorization: string) => ({ ...served, authorization, sessionId: await beginSession(served, authorization) });
  return { served, one: await as(`Bearer ${token}`), other: await as(`Bearer ${named.token}`) };
}

describe('the id of a session', () => {
  it.each<[string, Asked]>([
    ['a call', CALL],
    ['a notification', { headers: LEGACY, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' }],
    ['an answer', { headers: LEGACY, body: '{"jsonrpc":"2.0","id":1,"result":{}}' }],
    ['a handshake', withHeaders(initialize(), LEGACY)],
    ['a stream', LISTEN],
    ['an end', END],
  ])('of somebody else is answered as one that never was, for %s', async (_name, asked) => {
    const { served, one, other } = await startForTwo();
    await using _served = served;
    const [theirs, unknown] = [await ask(other, withHeaders(asked, { 'mcp-session-id': one.sessionId })), await ask(other, withHeaders(asked, { 'mcp-session-id': createToken() }))];
    expect(theirs.status).toBe(404);
    const date = (reply: Reply) => ({ ...reply, headers: new Map([...reply.headers].filter(([name]) => name !== 'date')) });
    expect(date(theirs)).toEqual(date(unknown));
    expect(served.started).toHaveLength(0);
    expect(textOf(await ask(one, CALL))).toBe('hello');
    expect(served.running.activity().sessions).toBe(2);
  });

  it.each<[string, (id: string) => string]>([
    ['cut', (id) => id.slice(0, -1)],
    ['longer', (id) => `${id}a`],
    ['in another case', (id) => id.replace(/[a-z]/i, (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()))],
    ['twice', (id) => `${id}, ${id}`],
    ['of a prototype', () => '__proto__'],
    ['of a member that all objects have', () => 'constructor'],
    ['very long', () => 'a'.repeat(10_000)],
    ['empty', () => ''],
  ])('is none when it is %s', async (_name, tamper) => {
    await using served = await startHttp();
    const reply = await ask(served, withHeaders(CALL, { 'mcp-session-id': tamper(served.sessionId) }));
    expect(reply).toMatchObject({ status: 404, message: { id: 1, error: { code: -32_050 } } });
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_REFUSED', status: 'denied' }]);
    expect(reply.body).not.toContain(served.sessionId);
  });

  it('does not do in the place of a token', async () => {
    await using served = await startHttp();
    for (const asked of [CALL, LISTEN, END]) expect(await ask(served, withHeaders(asked, { authorization: undefined }))).toMatchObject({ status: 401 });
    expect(await ask(served, withHeaders(CALL, { authorization: `Bearer ${served.sessionId}` }))).toMatchObject({ status: 401 });
    expect(await ask(served, withHeaders(CALL, { host: 'evil.example' }))).toMatchObject({ status: 403 });
    expect(await ask(served, withHeaders(LISTEN, { origin: 'https://evil.example' }))).toMatchObject({ status: 403 });
    expect(served.running.activity().sessions).toBe(1);
    expect(served.records).toHaveLength(0);
  });
});

describe('a hostile client of a session', () => {
  it.each<[string, Asked, number]>([
    ['a call without an id of a session', withHeaders(CALL, { 'mcp-session-id': undefined }), 400],
    ['a stream without one', withHeaders(LISTEN, { 'mcp-session-id': undefined }), 400],
    ['an end without one', withHeaders(END, { 'mcp-session-id': undefined }), 400],
    ['a second handshake', withHeaders(initialize(), { ...LEGACY, 'mcp-session-id': 'SESSION' }), 400],
    ['a handshake without parameters', initialize({}), 400],
    ['a handshake with capabilities that are none', initialize({ ...INITIALIZE, capabilities: 'all' }), 400],
    ['a handshake that says too much to be kept', initialize({ ...INITIALIZE, capabilities: { experimental: { x: { y: 'x'.repeat(140_000) } } } }), 400],
    ['a handshake with a prototype', { ...initialize(), body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"__proto__":{}}}' }, 400],
    ['a handshake of the newer protocol in its header', withHeaders(initialize(), { 'mcp-protocol-version': '2026-07-28' }), 400],
    ['a handshake that reads no stream', withHeaders(initialize(), { accept: 'application/json' }), 406],
    ['a version that does not exist', withHeaders(CALL, { 'mcp-protocol-version': '1900-01-01', 'mcp-session-id': 'SESSION' }), 400],
    ['a stream in a version that does not exist', withHeaders(LISTEN, { 'mcp-protocol-version': '1900-01-01', 'mcp-session-id': 'SESSION' }), 400],
    ['a stream that is not accepted', withHeaders(LISTEN, { accept: 'application/json' }), 406],
    ['a stream without Accept', withHeaders(LISTEN, { accept: undefined }), 406],
    ['a batch', { headers: LEGACY, body: '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}]' }, 400],
    ['an answer with a prototype', { headers: LEGACY, body: '{"jsonrpc":"2.0","id":1,"result":{"__proto__":{}}}' }, 400],
    ['a call that takes no stream', withHeaders(CALL, { accept: 'application/json' }), 406],
  ])('is refused %s, and the session goes on', async (_name, { headers = {}, ...rest }, status) => {
    await using served = await startHttp();
    const named = Object.entries(headers).map(([name, value]) => [name, value === 'SESSION' ? served.sessionId : value]);
    const reply = await ask(served, { ...rest, headers: Object.fromEntries(named) });
    expect(reply).toMatchObject({ status, message: { jsonrpc: '2.0', error: { message: expect.any(String) } } });
    expect(served.records.map(({ code }) => code)).toEqual(String(rest.body).includes('tools/call') ? ['MESSAGE_REFUSED'] : []);
    expect(served.started).toHaveLength(0);
    expect(served.running.activity()).toMatchObject({ sessions: 1, requests: 0 });
    expect(textOf(await ask(served, CALL))).toBe('hello');
  });

  it('does not get the answer of one call for another of the same id', async () => {
    await using served = await startHttp();
    using first = openWire(served).send(callOf('legacy', { name: 'later', args: {}, id: 7 }));
    await until(() => served.started.length === 1);
    expect(await ask(served, echoCall('legacy', 'x', 7))).toMatchObject({ status: 400, message: { id: null, error: { code: -32_600 } } });
    expect(textOf(await first.reply())).toBe('late');
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_REFUSED' }, { toolName: 'later', status: 'ok' }]);
  });

  it.each(['{"jsonrpc":"2.0","id":0,"result":{}}', '{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}', '{"jsonrpc":"2.0","method":"notifications/cancelled"}', '{"jsonrpc":"2.0","method":"acme/unknown","params":{}}'])(
    'is not heard with %s, to which there is no question',
    async (body) => {
      await using served = await startHttp();
      expect(await ask(served, { headers: LEGACY, body })).toMatchObject({ status: 202 });
      await expectAlive(served);
      expect(textOf(await ask(served, CALL))).toBe('hello');
    },
  );

  it('ends a session once, however often and whenever it says so', async () => {
    await using served = await startHttp();
    using call = openWire(served).send(callOf('legacy', { name: 'wait', args: {} }));
    await until(() => served.started.length === 1);
    const statuses = (await Promise.all([ask(served, END), ask(served, CALL), ask(served, END), ask(served, LISTEN), ask(served, END)])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
    await call.reply();
    await until(() => served.running.activity().requests === 0);
    expect(served.running.activity().sessions).toBe(0);
    expect(served.records.some(({ toolName, code }) => toolName === 'wait' && code === 'CALL_CANCELLED')).toBe(true);
  });

  it('fills neither the memory nor the places of sessions with handshakes', async () => {
    await using served = await startHttp({ maxSessions: 8 });
    for (let round = 0; round < 60; round += 1) expect(await ask(served, initialize())).toMatchObject({ status: 200 });
    expect(served.running.activity().sessions).toBe(8);
    expect((await ask(served, CALL)).status).toBe(404);
  });

  it('records every call that it sends over a session that ends meanwhile', async () => {
    await using served = await startHttp();
    const calls = Array.from({ length: 20 }, (_, id) => openWire(served).send(callOf('legacy', { name: 'wait', args: {}, id })));
    await until(() => served.running.activity().requests === 20);
    const end = ask(served, END);
    await Promise.all(calls.map(async (wire) => wire.reply()));
    expect(await end).toMatchObject({ status: 200 });
    await until(() => served.records.length === 20);
    for (const wire of calls) wire.socket.destroy();
  });
});
