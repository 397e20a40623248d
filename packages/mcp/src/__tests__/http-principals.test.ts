import { describe, expect, it, jest } from '@jest/globals';
import { mintNamedToken, type NamedToken } from '../auth/named-token.ts';
import { Principals } from '../auth/principals.ts';
import type { ScopeRules } from '../auth/scope.ts';
import { createToken } from '../auth/token.ts';
import type { HttpOptions } from '../transports/http.ts';
import { beginSession, callOf, echoCall, headersOf, MODERN, openNonReader, openWire, registerLarge, startHttp, textOf, until, type Asked, type Era, type Reply, type Served } from './http-wire.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];

interface Crowd extends AsyncDisposable {
  readonly served: Served;
  readonly principals: Principals;
  readonly tokens: readonly NamedToken[];
  /** The same server as somebody sees it. */
  as(name: string): Promise<Served>;
}

async function startFor(people: Readonly<Record<string, ScopeRules>>, options: Partial<HttpOptions> = {}): Promise<Crowd> {
  const minted = Object.entries(people).map(([name, scope]) => ({ name, scope, ...mintNamedToken() }));
  const tokens = minted.map(({ name, scope, id, sha256 }) => ({ name, scope, id, sha256, createdAt: '2026-07-28T00:00:00.000Z' }));
  const { principals = new Principals({ token: createToken() }) } = options;
  principals.update(tokens);
  const served = await startHttp({ ...options, principals });
  const as = async (name: string) => {
    const authorization = `Bearer ${minted.find((each) => each.name === name)?.token ?? ''}`;
    return { ...served, authorization, sessionId: await beginSession(served, authorization) };
  };
  return { served, principals, tokens, as, [Symbol.asyncDispose]: async () => served.running.close() };
}

async function ask(served: Served, asked: Asked): Promise<Reply> {
  using wire = openWire(served);
  return await wire.ask(asked);
}

function listTools(era: Era): Asked {
  const params = era === 'modern' ? { _meta: MODERN } : {};
  return { headers: headersOf(era, { method: 'tools/list' }), body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }) };
}

describe('principals over HTTP', () => {
  it.each(ERAS)('%s: are not shown what their scope does not have, and may not call it', async (era) => {
    await using crowd = await startFor({ reader: { readOnly: true }, narrow: { tools: ['ech*'] }, anybody: {} });
    const [reader, narrow, anybody] = [await crowd.as('reader'), await crowd.as('narrow'), await crowd.as('anybody')];
    const names = async (served: Served) => JSON.stringify((await ask(served, listTools(era))).message).match(/"name":"(echo|wait|later)"/g);
    expect(await names(reader)).toEqual(['"name":"echo"']);
    expect(await names(narrow)).toEqual(['"name":"echo"']);
    expect(await names(anybody)).toHaveLength(3);
    const refused = await ask(reader, callOf(era, { name: 'later', args: {} }));
    const unknown = await ask(reader, callOf(era, { name: 'nowhere', args: {} }));
    expect(refused.message).toMatchObject({ result: { isError: true, _meta: { 'devs/refusal': { code: 'UNKNOWN_TOOL' } } } });
    expect(refused.body.replaceAll('later', 'nowhere').length).toBe(unknown.body.length);
    expect(crowd.served.started).toHaveLength(0);
    expect(textOf(await ask(narrow, echoCall(era)))).toBe('hello');
    expect(crowd.served.records.map(({ principal, code }) => [principal, code])).toEqual([['token:reader', 'UNKNOWN_TOOL'], ['token:reader', 'UNKNOWN_TOOL'], ['token:narrow', null]]);
  });

  it('are served no further once their token is revoked, whatever is under way', async () => {
    await using crowd = await startFor({ gone: {}, stays: {} });
    const ended = jest.spyOn(crowd.served.server, 'endClient');
    const [gone, stays] = [await crowd.as('gone'), await crowd.as('stays')];
    using stream = openWire(gone).send({ method: 'GET', headers: headersOf('legacy', { method: '' }) });
    const calls = ERAS.map((era) => openWire(gone).send(callOf(era, { name: 'wait', args: {} })));
    await until(() => crowd.served.started.length === 2 && stream.received !== '');
    crowd.principals.update(crowd.tokens.filter(({ name }) => name === 'stays'));
    await Promise.all([stream, ...calls].map(async (wire) => wire.closed()));
    await until(() => crowd.served.records.length === 2);
    expect(crowd.served.records).toMatchObject([{ code: 'CALL_CANCELLED' }, { code: 'CALL_CANCELLED' }]);
    for (const era of ERAS) {
      const reply = await ask(gone, echoCall(era));
      expect(reply).toMatchObject({ status: 401 });
      expect(reply.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      expect(textOf(await ask(stays, echoCall(era)))).toBe('hello');
    }
    expect(crowd.served.running.activity().sessions).toBe(1);
    expect(ended).toHaveBeenCalledTimes(2);
  });

  it('tell servers behind devs apart by session or principal, never by what they say', async () => {
    await using crowd = await startFor({ one: {}, other: {} });
    const [one, other] = [await crowd.as('one'), await crowd.as('other')];
    const created = jest.spyOn(crowd.served.server, 'createProtocolServer');
    for (const served of [one, one, other]) await ask(served, echoCall('modern'));
    const [first, second, third] = created.mock.calls.map(([connection]) => connection);
    expect(first?.key).toBe(second?.key);
    expect(first?.key).not.toBe(third?.key);
    expect(first?.outside).not.toBe(third?.outside);
  });

  it('are taken for a person where the operator says so, and who has the token of the first start', async () => {
    const first = createToken();
    await using crowd = await startFor({ program: {}, person: { interactive: true } }, { principals: new Principals({ token: first }) });
    const created = jest.spyOn(crowd.served.server, 'createProtocolServer');
    const whoever = [await crowd.as('program'), await crowd.as('person'), { ...crowd.served, authorization: `Bearer ${first}`, sessionId: await beginSession(crowd.served, `Bearer ${first}`) }];
    for (const served of whoever) await ask(served, echoCall('modern'));
    expect(created.mock.calls.map(([connection]) => connection.interactive)).toEqual([false, true, true, false, true, true]);
  });

  it('leave requests for each other', async () => {
    await using crowd = await startFor({ greedy: {}, modest: {} }, { maxRequests: 12 });
    const [greedy, modest] = [await crowd.as('greedy'), await crowd.as('modest')];
    const wires = Array.from({ length: 12 }, (_, id) => openWire(greedy).send(callOf('modern', { name: 'wait', args: {}, id })));
    const isRefused = ({ received }: { readonly received: string }) => received.startsWith('HTTP/1.1 429');
    // Of twelve, two are kept for each of three.
    await until(() => wires.filter(isRefused).length === 4 && crowd.served.started.length === 8);
    expect(textOf(await ask(modest, echoCall('modern')))).toBe('hello');
    for (const wire of wires) wire.socket.destroy();
  });

  it('leave connections for each other', async () => {
    await using crowd = await startFor({ greedy: {}, modest: {} }, { maxConnections: 12, lingerMs: 20 });
    const [greedy, modest] = [await crowd.as('greedy'), await crowd.as('modest')];
    const wires = Array.from({ length: 12 }, () => openWire(greedy));
    const replies = await Promise.all(wires.map(async (wire) => wire.ask(echoCall('modern'))));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(4);
    expect(textOf(await ask(modest, echoCall('modern')))).toBe('hello');
    for (const wire of wires) wire.socket.destroy();
  });

  it('leave room for messages to each other', async () => {
    await using crowd = await startFor({ greedy: {}, modest: {} }, { maxMessageBytes: 100_000, lingerMs: 50 });
    const [greedy, modest] = [await crowd.as('greedy'), await crowd.as('modest')];
    const wires = Array.from({ length: 20 }, () => openWire(greedy));
    for (const wire of wires) wire.write(wire.head({ headers: { 'content-length': '100000' } })).write('x'.repeat(60_000));
    // The room of each is 65,536 bytes; of 400,000, a sixth is kept for each of three.
    await until(() => wires.filter(({ received }) => received.startsWith('HTTP/1.1 429')).length === 16);
    expect(textOf(await ask(modest, echoCall('modern', 'x'.repeat(60_000))))).toHaveLength(60_000);
    for (const wire of wires) wire.socket.destroy();
  });

  it('leave room for values to each other', async () => {
    await using crowd = await startFor({ greedy: {}, modest: {} });
    const [greedy, modest] = [await crowd.as('greedy'), await crowd.as('modest')];
    const crowded = (name: string, id: number) => callOf('modern', { name, args: { list: Array.from({ length: 600_000 }, () => 1) }, id });
    const wires = Array.from({ length: 8 }, (_, id) => openWire(greedy).send(crowded('wait', id)));
    await until(() => wires.some(({ received }) => received.startsWith('HTTP/1.1 429')) && crowd.served.started.length >= 4);
    expect((await ask(modest, crowded('echo', 1))).status).toBe(200);
    for (const wire of wires) wire.socket.destroy();
  });

  it.each(ERAS)('%s: do not wait for what another does not read', async (era) => {
    await using crowd = await startFor({ greedy: {}, modest: {} }, { maxUnreadBytes: 100_000 });
    const [greedy, modest] = [await crowd.as('greedy'), await crowd.as('modest')];
    registerLarge(crowd.served);
    using stuck = await openNonReader(greedy, era);
    const before = crowd.served.started.length;
    using waiting = openWire(greedy).send(echoCall(era, 'later', 7));
    await until(() => crowd.served.server.inFlight > 0);
    expect(textOf(await ask(modest, echoCall(era)))).toBe('hello');
    expect(crowd.served.started).toHaveLength(before + 1);
    stuck.socket.destroy();
    expect(textOf(await waiting.reply())).toBe('later');
  });

  it('leave sessions for each other', async () => {
    await using crowd = await startFor({ greedy: {}, modest: {} }, { maxSessions: 12 });
    const modest = await crowd.as('modest');
    for (let round = 0; round < 20; round += 1) await crowd.as('greedy');
    expect(textOf(await ask(modest, echoCall('legacy')))).toBe('hello');
    await crowd.as('modest');
    expect(crowd.served.running.activity().sessions).toBeLessThanOrEqual(12);
  });
});

describe('headers that repeat arguments, over HTTP', () => {
  const inputSchema = { properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } };
  const schemaOf = (tool: string) => (tool === 'echo' ? inputSchema : undefined);
  const call = echoCall('modern', 'Grüße');

  it.each<[string, Record<string, string>, number]>([
    ['are there', { 'mcp-param-text': `=?base64?${Buffer.from('Grüße').toString('base64')}?=` }, 200],
    ['are missing', {}, 400],
    ['say another thing', { 'mcp-param-text': 'Hello' }, 400],
  ])('%s', async (_name, headers, status) => {
    await using served = await startHttp({ schemaOf });
    const reply = await ask(served, { ...call, headers: { ...call.headers, ...headers } });
    expect(reply.status).toBe(status);
    if (status === 400) expect(reply.message).toMatchObject({ id: 1, error: { code: -32_020 } });
    expect(served.records).toMatchObject([{ toolName: 'echo', code: status === 200 ? null : 'MESSAGE_REFUSED' }]);
    expect(served.started).toHaveLength(status === 200 ? 1 : 0);
  });

  it('are asked of the newer protocol alone, and of none where a name is encoded wrong', async () => {
    await using served = await startHttp({ schemaOf });
    expect((await ask(served, echoCall('legacy', 'Grüße'))).status).toBe(200);
    const encoded = { 'mcp-param-text': `=?base64?${Buffer.from('Grüße').toString('base64')}?=`, 'mcp-name': `=?base64?${Buffer.from('echo').toString('base64')}?=` };
    expect(textOf(await ask(served, { ...call, headers: { ...call.headers, ...encoded } }))).toBe('Grüße');
    const wrong = await ask(served, { ...call, headers: { ...call.headers, ...encoded, 'mcp-name': '=?base64?ZWNobw?=' } });
    expect(wrong).toMatchObject({ status: 400, message: { error: { code: -32_020 } } });
  });
});
