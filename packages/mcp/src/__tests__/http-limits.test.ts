import { describe, expect, it, jest } from '@jest/globals';
import { callOf, echoCall, expectAlive, headersOf, LARGE, MODERN, openNonReader, openWire, registerLarge, startHttp, textOf, turns, until, type Era } from './http-wire.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];

describe('connections and requests', () => {
  it('answers 429 on a connection too many, and serves again when one has gone', async () => {
    await using served = await startHttp({ maxConnections: 2, lingerMs: 50 });
    using first = openWire(served);
    using second = openWire(served);
    for (const wire of [first, second]) expect(textOf(await wire.ask(echoCall('modern')))).toBe('hello');
    using extra = openWire(served);
    const reply = await extra.ask(echoCall('modern'));
    expect(reply).toMatchObject({ status: 429, message: { error: { message: expect.stringContaining('2 connections') } } });
    expect(reply.headers.get('retry-after')).toBe('1');
    await extra.closed();
    expect(served.records).toHaveLength(2);
    first.socket.destroy();
    for (let status = 429; status === 429; ) {
      using again = openWire(served);
      ({ status } = await again.ask(echoCall('modern')));
    }
  });

  it('does not count connections that it refuses, or they would keep others out', async () => {
    await using served = await startHttp({ maxConnections: 1 });
    using first = openWire(served);
    expect(textOf(await first.ask(echoCall('modern')))).toBe('hello');
    using idle = openWire(served);
    await new Promise((resolve) => idle.socket.once('connect', resolve));
    first.socket.destroy();
    for (let status = 429; status === 429; ) {
      using again = openWire(served);
      ({ status } = await again.ask(echoCall('modern')));
    }
    expect(idle.isClosed).toBe(false);
  });

  it('lets connections that show no token give way, the oldest first, however many come', async () => {
    await using served = await startHttp({ maxConnections: 4 });
    using proven = openWire(served);
    expect(textOf(await proven.ask(echoCall('modern')))).toBe('hello');
    const wires = Array.from({ length: 40 }, () => openWire(served));
    await until(() => wires.filter(({ isClosed }) => isClosed).length === 37);
    await turns(50);
    expect(wires.map(({ isClosed }) => isClosed)).toEqual(wires.map((_, index) => index < 37));
    using next = openWire(served);
    expect(textOf(await next.ask(echoCall('modern')))).toBe('hello');
    expect(textOf(await proven.ask(echoCall('modern')))).toBe('hello');
    for (const wire of wires) wire.socket.destroy();
  });

  it('closes connections far beyond the limit without a word when all that it serves have shown a token', async () => {
    await using served = await startHttp({ maxConnections: 1 });
    using first = openWire(served);
    expect(textOf(await first.ask(echoCall('modern')))).toBe('hello');
    const wires = Array.from({ length: 80 }, () => openWire(served));
    await until(() => wires.filter(({ isClosed }) => isClosed).length === 16);
    await turns(50);
    expect(wires.filter(({ isClosed }) => isClosed)).toHaveLength(16);
    for (const wire of wires) wire.socket.destroy();
  });

  it('answers 429 to a request too many, does not run it, and serves again when one is done', async () => {
    await using served = await startHttp({ maxRequests: 2 });
    const waiting = [1, 2].map((id) => openWire(served).send(callOf('modern', { name: 'wait', args: {}, id })));
    await until(() => served.started.length === 2);
    using extra = openWire(served);
    const reply = await extra.ask(echoCall('modern'));
    expect(reply).toMatchObject({ status: 429, message: { error: { message: expect.stringContaining('2 requests') } } });
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(served.started).toEqual(['wait', 'wait']);
    for (const wire of waiting) wire.socket.destroy();
    await until(() => served.records.length === 2);
    await expectAlive(served);
  });

  it.each<[string, string]>([
    ['no byte', ''],
    ['half its headers', 'POST /mcp HTTP/1.1\r\nhost: 127'],
  ])('cuts a connection that sends %s', async (_name, bytes) => {
    await using served = await startHttp({ requestTimeoutMs: 400 });
    using wire = openWire(served);
    expect(await wire.write(bytes).reply()).toMatchObject({ status: 408, message: { error: { code: -32_050 } } });
    await wire.closed();
  });

  it.each<[string, object, string]>([
    ['announces more than it sends', { headers: { 'content-length': '100' } }, '{"jsonrpc":'],
    ['sends chunks without an end', { raw: ['transfer-encoding: chunked'] }, '5\r\n{"jso\r\n'],
    ['announces too much and sends a little', { headers: { 'content-length': '99000000' } }, '{"jsonrpc":'],
  ])('answers 408 when a body %s', async (_name, asked, body) => {
    await using served = await startHttp({ requestTimeoutMs: 400 });
    using wire = openWire(served);
    expect(await wire.write(wire.head(asked)).write(body).reply()).toMatchObject({ status: 408 });
    await wire.closed();
    expect(served.records).toHaveLength(0);
    await expectAlive(served);
  });

  it('does not take the time of a call for the time of its request', async () => {
    await using served = await startHttp({ requestTimeoutMs: 400, answerTimeoutMs: 400 });
    using waiting = openWire(served);
    waiting.send(callOf('modern', { name: 'wait', args: {} }));
    using slow = openWire(served);
    expect(await slow.reply()).toMatchObject({ status: 408 });
    using slower = openWire(served);
    expect(await slower.reply()).toMatchObject({ status: 408 });
    expect(waiting.isClosed).toBe(false);
    expect(served.records).toHaveLength(0);
  });

  it('closes a connection that is idle', async () => {
    await using served = await startHttp({ idleTimeoutMs: 20 });
    using wire = openWire(served);
    expect(textOf(await wire.ask(echoCall('modern')))).toBe('hello');
    await wire.closed();
    expect(served.records).toHaveLength(1);
  });
});

describe('memory', () => {
  it('holds no more of bodies than four of the largest, however many send slowly', async () => {
    await using served = await startHttp({ maxMessageBytes: 100_000, lingerMs: 50 });
    const wires = Array.from({ length: 20 }, () => openWire(served));
    for (const wire of wires) wire.write(wire.head({ headers: { 'content-length': '100000' } })).write('x'.repeat(60_000));
    // The room of each is 65,536 bytes: six fit into 400,000.
    await until(() => wires.filter(({ received }) => received.startsWith('HTTP/1.1 429')).length === 14);
    await turns(100);
    expect(wires.filter(({ received, isClosed }) => received === '' && !isClosed)).toHaveLength(6);
    for (const wire of wires) wire.socket.destroy();
  });

  it('gives the room back when a message is answered, refused, or will never come', async () => {
    await using served = await startHttp({ maxMessageBytes: 1_000, lingerMs: 50 });
    for (let round = 0; round < 5; round += 1) {
      const gone = openWire(served);
      gone.write(gone.head({ headers: { 'content-length': '900' } })).write('x'.repeat(800));
      using bad = openWire(served);
      expect((await bad.ask({ body: 'x'.repeat(1_000) })).status).toBe(400);
      gone.socket.destroy();
    }
    const wires = Array.from({ length: 4 }, () => openWire(served));
    const text = 'x'.repeat(600);
    const replies = await Promise.all(wires.map(async (wire) => wire.ask(echoCall('modern', text))));
    expect(replies.map(textOf)).toEqual([text, text, text, text]);
    for (const wire of wires) wire.socket.destroy();
  });

  it('holds the message of a call for as long as the call', async () => {
    await using served = await startHttp({ maxMessageBytes: 1_000 });
    const large = (id: number) => callOf('modern', { name: 'wait', args: { text: 'x'.repeat(650) }, id });
    const waiting = [1, 2, 3, 4].map((id) => openWire(served).send(large(id)));
    await until(() => served.started.length === 4);
    using extra = openWire(served);
    expect(await extra.ask(large(5))).toMatchObject({ status: 429 });
    for (const wire of waiting) wire.socket.destroy();
    await until(() => served.records.length === 4);
    await expectAlive(served);
  });

  it('holds no more values than four messages may have, and records the call that is refused for it', async () => {
    await using served = await startHttp();
    const crowded = (id: number) => callOf('modern', { name: 'wait', args: { list: Array.from({ length: 900_000 }, () => 1) }, id });
    const waiting = [1, 2, 3, 4].map((id) => openWire(served).send(crowded(id)));
    await until(() => served.started.length === 4);
    using extra = openWire(served);
    expect(await extra.ask(crowded(5))).toMatchObject({ status: 429, message: { id: 5 } });
    expect(served.records).toMatchObject([{ toolName: 'wait', code: 'MESSAGE_REFUSED' }]);
    for (const wire of waiting) wire.socket.destroy();
    await until(() => served.records.length === 5);
  });

  it.each(ERAS)('%s: runs no further call while answers wait for clients that do not read', async (era) => {
    await using served = await startHttp({ maxUnreadBytes: 100_000 });
    registerLarge(served);
    const nonReader = await openNonReader(served, era);
    const before = served.started.length;
    using next = openWire(served);
    next.send(echoCall(era));
    await until(() => served.server.inFlight > 0);
    await turns(200);
    expect(served.started).toHaveLength(before);
    nonReader.socket.destroy();
    expect(textOf(await next.reply())).toBe('hello');
  });

  it.each(ERAS)('%s: makes no further list while answers wait for clients that do not read', async (era) => {
    await using served = await startHttp({ maxUnreadBytes: 100_000 });
    registerLarge(served);
    const nonReader = await openNonReader(served, era);
    const listed = jest.spyOn(served.registry, 'listToolsForContext');
    using next = openWire(served);
    const params = era === 'modern' ? { _meta: MODERN } : {};
    next.send({ headers: headersOf(era, { method: 'tools/list' }), body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }) });
    await until(() => served.running.activity().requests >= 2);
    await turns(200);
    expect(listed).not.toHaveBeenCalled();
    nonReader.socket.destroy();
    expect((await next.reply()).body).toContain('"echo"');
  });

  it.each(ERAS)('%s: answers what one connection asks without waiting, in order', async (era) => {
    await using served = await startHttp();
    using wire = openWire(served);
    wire.send(callOf(era, { name: 'later', args: {}, id: 'first' }));
    for (let id = 1; id <= 20; id += 1) wire.send(echoCall(era, String(id), id));
    const texts: unknown[] = [];
    for (let count = 0; count <= 20; count += 1) texts.push(textOf(await wire.reply()));
    expect(texts).toEqual(['late', ...Array.from({ length: 20 }, (_, index) => String(index + 1))]);
  });

  it('serves what one connection asks one after the other, and nothing of it when the connection is gone', async () => {
    await using served = await startHttp();
    const wire = openWire(served);
    wire.send(callOf('modern', { name: 'wait', args: {}, id: 'first' }));
    for (let id = 1; id <= 20; id += 1) wire.send(echoCall('modern', String(id), id));
    await until(() => served.started.length === 1 && served.running.activity().requests === 21);
    wire.socket.destroy();
    await until(() => served.running.activity().requests === 0);
    expect(served.records).toMatchObject([{ code: 'CALL_CANCELLED' }]);
  });

  it.each(ERAS)('%s: cuts off a client that takes nothing of its answer', async (era) => {
    await using served = await startHttp({ maxUnreadBytes: 100_000, answerTimeoutMs: 100 });
    registerLarge(served);
    const nonReader = await openNonReader(served, era);
    using next = openWire(served);
    expect(textOf(await next.ask(echoCall(era)))).toBe('hello');
    nonReader.socket.destroy();
  });

  it('serves a client that reads slowly', async () => {
    await using served = await startHttp({ maxUnreadBytes: 100_000, answerTimeoutMs: 60_000 });
    registerLarge(served);
    using wire = openWire(served);
    wire.send(callOf('modern', { name: 'large', args: {} }));
    const pace = setInterval(() => (wire.socket.isPaused() ? wire.socket.resume() : wire.socket.pause()), 5);
    expect(textOf(await wire.reply())).toBe(LARGE);
    clearInterval(pace);
  });
});
