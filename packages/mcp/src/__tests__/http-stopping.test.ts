import { describe, expect, it } from '@jest/globals';
import { callOf, echoCall, headersOf, MODERN, openNonReader, openWire, registerLarge, startHttp, textOf, turns, until, type Era } from './http-wire.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];

describe('stopping', () => {
  it.each(ERAS)('%s: answers what is under way, and turns away what comes', async (era) => {
    const served = await startHttp();
    using wire = openWire(served);
    using other = openWire(served);
    expect(textOf(await other.ask(echoCall(era)))).toBe('hello');
    wire.send(callOf(era, { name: 'later', args: {} }));
    await until(() => served.started.length === 2);
    const closing = served.running.close();
    expect(textOf(await wire.reply())).toBe('late');
    await closing;
    await Promise.all([wire.closed(), other.closed()]);
    expect(served.records.map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it('says 503 to a request on a connection that is open, and to one that is half read', async () => {
    const served = await startHttp({ lingerMs: 50 });
    using busy = openWire(served);
    busy.send(callOf('modern', { name: 'later', args: {} }));
    await until(() => served.started.length === 1);
    using half = openWire(served);
    half.write(half.head({ headers: { 'content-length': '100' } })).write('{"jsonrpc":');
    using late = openWire(served);
    late.write('POST /mcp HTTP/1.1\r\n');
    await turns(20);
    const closing = served.running.close();
    late.write(late.head({ headers: { 'content-length': '2', expect: '100-continue' } }).slice('POST /mcp HTTP/1.1\r\n'.length)).write('{}');
    expect(await late.reply()).toMatchObject({ status: 503, message: { error: { message: expect.stringContaining('stopping') } } });
    expect(await half.reply()).toMatchObject({ status: 503 });
    expect(textOf(await busy.reply())).toBe('late');
    await closing;
    expect(served.records).toHaveLength(1);
  });

  it('ends a subscription that a client holds open', async () => {
    const served = await startHttp({}, { profile: () => ({ capabilities: { tools: { listChanged: true } }, introduction: '' }) });
    using wire = openWire(served);
    const params = { notifications: { toolsListChanged: true }, _meta: MODERN };
    const method = 'subscriptions/listen';
    wire.send({ headers: headersOf('modern', { method }), body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
    await until(() => wire.received.includes('acknowledged'));
    expect(wire.received).not.toContain('"result"');
    await served.running.close();
    await wire.closed();
    expect(wire.received).toContain('"result"');
  });

  it.each(ERAS)('%s: is not held up for ever by a client that does not read', async (era) => {
    const served = await startHttp({ maxUnreadBytes: 100_000, answerTimeoutMs: 100 });
    registerLarge(served);
    using nonReader = await openNonReader(served, era);
    await served.running.close();
    expect(nonReader.socket.isPaused()).toBe(true);
  });

  it('does not wait for a client to take the last of its answers, however long it may take otherwise', async () => {
    const served = await startHttp({ answerTimeoutMs: 3_600_000, graceMs: 100 });
    registerLarge(served);
    using nonReader = await openNonReader(served, 'modern');
    await served.running.close();
    expect(nonReader.socket.isPaused()).toBe(true);
  });

  it('may be asked for twice, with nothing under way and with connections open', async () => {
    const served = await startHttp();
    using wire = openWire(served);
    wire.write('POST /mcp HTTP/1.1\r\nhost:');
    await turns(20);
    await Promise.all([served.running.close(), served.running.close()]);
    await served.running.closed;
    await wire.closed();
  });
});
