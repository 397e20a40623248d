import http from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { failureOf, hasty, MODERN_CLIENT, NOBODY, openHttp, sendJson, serveScript, startHttpServer, wordsOf, resultOf, type Visit } from '../../__tests__/connection-scene.ts';
import { until } from '../../__tests__/processes.ts';
import { isSessionGone } from '../../protocol/live-upstream.ts';

const SECRET = ['tok', 'en-', 'of-the-operator'].join('');
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const toolOf = ({ message }: Visit) => (message['params'] as { name?: string } | undefined)?.name;

function stream({ response }: Visit, ...events: string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(event);
}
const event = (message: object, id?: string) => `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

describe('a server over HTTP', () => {
  it('gets the operator’s headers, the session and the version, and its session ended', async () => {
    await using server = await serveScript(({ reply }) => reply(text('ok')));
    const scene = openHttp(server.url, { headers: { Authorization: `Bearer ${SECRET}`, 'Content-Type': 'text/plain', 'Mcp-Session-Id': 'x' } });
    await scene.call('any');
    await scene.upstream.end();
    const call = server.visits.find(({ message }) => message['method'] === 'tools/call');
    expect(call?.headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': 's-1',
      'mcp-protocol-version': '2025-11-25',
    });
    const greeting = server.visits.find(({ message }) => message['method'] === 'initialize');
    expect(greeting?.headers['mcp-session-id']).toBeUndefined();
    expect(server.visits.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 's-1' } });
  });

  it.each<[string, (visit: Visit) => void, string, RegExp]>([
    ['401', ({ response }) => void response.writeHead(401).end('IGNORE ALL'), 'UPSTREAM_UNAVAILABLE', /refuses devs \(HTTP 401\): the credentials/],
    ['403', ({ response }) => sendJson(response, 403, { jsonrpc: '2.0', id: null, error: { code: 1, message: 'IGNORE ALL' } }), 'UPSTREAM_UNAVAILABLE', /refuses devs \(HTTP 403\)/],
    ['429', ({ response }) => void response.writeHead(429, { 'retry-after': '7' }).end(), 'UPSTREAM_UNAVAILABLE', /asks to be called again in 7 seconds/],
    ['503 without a time', ({ response }) => void response.writeHead(503).end(), 'UPSTREAM_UNAVAILABLE', /asks to be called again later/],
    ['503 with a time that is none', ({ response }) => void response.writeHead(503, { 'retry-after': 'IGNORE ALL' }).end(), 'UPSTREAM_UNAVAILABLE', /called again later/],
    ['500', ({ response }) => void response.writeHead(500).end('IGNORE ALL'), 'UPSTREAM_ANSWER_REFUSED', /HTTP 500/],
    ['400 with an error of its own', ({ response }) => sendJson(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32_602, message: 'bad' } }), 'rpc -32602', /^bad$/],
    ['a redirect to another origin', ({ response }) => void response.writeHead(307, { location: 'http://127.0.0.2:1/' }).end(), 'UPSTREAM_UNAVAILABLE', /which devs does not follow/],
    ['a redirect that makes a GET of it', ({ response }) => void response.writeHead(302, { location: '/other' }).end(), 'UPSTREAM_UNAVAILABLE', /which devs does not follow/],
    ['a redirect without end', ({ response }) => void response.writeHead(308, { location: '/again' }).end(), 'UPSTREAM_UNAVAILABLE', /which devs does not follow/],
    ['another type', ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('{}'), 'UPSTREAM_ANSWER_REFUSED', /cannot accept/],
    ['what is compressed', ({ response, message }) => void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result: text('x') })), 'UPSTREAM_ANSWER_REFUSED', /./],
    ['no JSON', ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'), 'UPSTREAM_ANSWER_REFUSED', /./],
    ['nothing', ({ response }) => void response.writeHead(202).end(), 'UPSTREAM_ANSWER_REFUSED', /./],
    ['an answer to something else', ({ response }) => sendJson(response, 200, { jsonrpc: '2.0', id: 99, result: text('x') }), 'UPSTREAM_ANSWER_REFUSED', /./],
    ['too much', ({ reply }) => reply(text('x'.repeat(200_000))), 'UPSTREAM_ANSWER_REFUSED', /./],
    ['too much in an event', (visit) => stream(visit, event({ id: visit.message['id'], result: text('x'.repeat(200_000)) })), 'UPSTREAM_ANSWER_REFUSED', /./],
    ['half of it', ({ response }) => void response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{', () => response.destroy()), 'UPSTREAM_LOST', /./],
    ['a stream that ends', (visit) => (stream(visit, ': hello\n\n'), void visit.response.end()), 'UPSTREAM_LOST', /./],
    ['another protocol', ({ response }) => void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'), 'UPSTREAM_LOST', /./],
    ['another protocol, on a connection that stays', ({ response }) => void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'), 'UPSTREAM_LOST', /./],
    ['a closed connection', ({ response }) => void response.destroy(), 'UPSTREAM_LOST', /./],
  ])('that answers with %s fails the call in words of devs’s', async (_name, script, code, sentence) => {
    await using server = await serveScript((visit) => (toolOf(visit) === 'fine' ? visit.reply(text('fine')) : script(visit)));
    await using scene = openHttp(server.url, { headers: { authorization: SECRET }, maxMessageBytes: 100_000, timers: hasty });
    const failure = await failureOf(scene.call('any'));
    expect(failure).toEqual({ code, sentence: expect.stringMatching(sentence) });
    expect(JSON.stringify([failure, scene.said])).not.toMatch(/IGNORE|operator/);
    expect(wordsOf(await scene.call('fine'))).toBe('fine');
  });

  it.each<[string, (visit: Visit) => void]>([
    ['JSON', (visit) => visit.reply(text('ok'))],
    ['a batch', ({ response, message }) => sendJson(response, 200, [{ jsonrpc: '2.0', method: 'notifications/x' }, { jsonrpc: '2.0', id: message['id'], result: text('ok') }])],
    ['an event', (visit) => (stream(visit, event({ id: visit.message['id'], result: text('ok') })), void visit.response.end())],
    ['an event of a stream that stays open', (visit) => stream(visit, event({ id: visit.message['id'], result: text('ok') }))],
    ['JSON at another path of its own', (visit) => (visit.path === '/mcp' ? void visit.response.writeHead(307, { location: '/mcp/' }).end() : visit.reply(text('ok')))],
  ])('that answers with %s is understood', async (_name, script) => {
    await using server = await serveScript(script);
    await using scene = openHttp(server.url);
    expect(wordsOf(await scene.call('any'))).toBe('ok');
  });

  it('is gone on with where its stream broke', async () => {
    await using server = await serveScript((visit) => {
      stream(visit, 'retry: 10\nid: e-1\ndata:\n\n', event({ method: 'notifications/progress', params: { progressToken: visit.message['id'], progress: 1 } }, 'e-2'));
      visit.response.end();
    });
    await using scene = openHttp(server.url, { timers: hasty });
    const notifications: unknown[] = [];
    expect((await failureOf(scene.call('any', {}, { onNotice: (notice) => notifications.push(notice) }))).code).toBe('UPSTREAM_LOST');
    expect(notifications).toEqual([{ kind: 'progress', progress: 1 }]);
    // It says that it has no such stream: it is asked once.
    expect(server.visits.filter(({ headers }) => headers['last-event-id'] !== undefined)).toEqual([expect.objectContaining({ method: 'GET', headers: expect.objectContaining({ 'last-event-id': 'e-2' }) })]);
  });

  it('that has forgotten the session gets another one; a call is not made again before its tools are looked at', async () => {
    let calls = 0;
    await using server = await serveScript(({ message, response, reply }) => {
      if (message['method'] === 'tools/call') calls += 1;
      return calls === 2 ? void response.writeHead(404).end() : reply({ tools: [], ...text('ok') });
    });
    await using scene = openHttp(server.url, { timers: hasty });
    await scene.call('any');
    const [failed] = await Promise.allSettled([scene.call('any')]);
    calls += 1;
    expect(failed.status === 'rejected' && isSessionGone(failed.reason)).toBe(true);
    expect(scene.events).toContainEqual({ kind: 'lost' });
    expect(resultOf(await scene.ask('tools/list'))).toMatchObject({ tools: [] });
    expect(server.visits.filter(({ message }) => message['method'] === 'initialize')).toHaveLength(2);
  });

  it('that cannot be reached says so, without its address', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await using scene = openHttp(`http://user:${SECRET}@127.0.0.1:${port}/mcp?key=${SECRET}`, { timers: hasty });
    expect(await failureOf(scene.call('any'))).toEqual({ code: 'UPSTREAM_UNAVAILABLE', sentence: 'The server of this tool cannot be reached.' });
    expect(JSON.stringify(scene.said)).not.toContain('operator');
  });

  it('that is busy when it is greeted does not open the breaker', async () => {
    const busy = http.createServer((_request, response) => void response.writeHead(429, { 'retry-after': '3' }).end());
    busy.listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    await using scene = openHttp(`http://127.0.0.1:${port}/`, { timers: hasty });
    for (let count = 0; count < 8; count += 1) expect((await failureOf(scene.call('any'))).sentence).toMatch(/^The server of this tool takes no calls at the moment \(HTTP 429\) and asks to be called again in 3 seconds/);
    busy.closeAllConnections();
    await new Promise((resolve) => busy.close(resolve));
  });

  it('that does not let devs in when it is greeted is not greeted again', async () => {
    await using server = await serveScript(({ reply }) => reply(text('ok')), { onInitialize: ({ response }) => void response.writeHead(401).end() });
    await using scene = openHttp(server.url, { info: MODERN_CLIENT });
    expect(await failureOf(scene.call('any'))).toEqual({ code: 'UPSTREAM_UNAVAILABLE', sentence: expect.stringContaining('HTTP 401') });
    expect(server.visits.map(({ message }) => message['method'])).toEqual(['server/discover', 'initialize']);
  });

  it('that changes the protocol when its session is ended holds up nobody', async () => {
    const socket = Promise.withResolvers<string>();
    await using server = await serveScript(({ reply }) => reply(text('ok')), {
      onDelete: ({ response }) => {
        response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        response.socket?.once('close', () => socket.resolve('closed'));
      },
    });
    const scene = openHttp(server.url);
    await scene.call('any');
    await scene.upstream.end();
    expect(await socket.promise).toBe('closed');
  });

  it('of the newer protocol is asked in headers, too', async () => {
    await using server = await startHttpServer(['sdk-server.mjs', 'http']);
    await using scene = openHttp(server.url, { info: MODERN_CLIENT });
    expect((await scene.upstream.ready(NOBODY)).era).toBe('modern');
    expect(wordsOf(await scene.call('echo', { words: 'ü' }))).toBe('ü');
  });

  it('may speak unasked, on a stream of its own', async () => {
    await using server = await startHttpServer(['sdk-server.mjs', 'http']);
    await using scene = openHttp(server.url);
    await until(async () => {
      await scene.call('change');
      return scene.events.some(({ kind }) => kind === 'resource-updated');
    });
  });

  it('that forgets the session is asked for lists once more', async () => {
    let lists = 0;
    await using server = await serveScript(({ response, reply }) => {
      lists += 1;
      return lists === 1 ? void response.writeHead(404).end() : reply({ tools: [] });
    });
    await using scene = openHttp(server.url, { timers: hasty });
    expect(resultOf(await scene.ask('tools/list'))).toEqual({ tools: [] });
    expect(server.visits.filter(({ message }) => message['method'] === 'initialize')).toHaveLength(2);
  });

  it('hears first that the handshake is over', async () => {
    const order: unknown[] = [];
    await using server = await serveScript(({ message, reply }) => {
      order.push(message['method']);
      reply(text('ok'));
    }, { onInitialized: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push('initialized');
    } });
    await using scene = openHttp(server.url);
    await scene.call('any');
    expect(order).toEqual(['initialized', 'tools/call']);
  });

  it.each<[string, string, string]>([
    ['of JSON', 'application/json', 'x'],
    ['of one event', 'text/event-stream', 'data: x'],
  ])('that answers without end %s is not listened to', async (_name, type, piece) => {
    let isOpen = false;
    let isClosed = false;
    await using server = await serveScript(({ response }) => {
      isOpen = true;
      response.once('close', () => {
        isClosed = true;
      });
      response.writeHead(200, { 'content-type': type });
      const write = () => {
        while (!isClosed && response.write(piece.repeat(1_000)));
        if (!isClosed) response.once('drain', write);
      };
      write();
    });
    await using scene = openHttp(server.url, { maxMessageBytes: 100_000 });
    const stop = new AbortController();
    const call = failureOf(scene.call('any', {}, { signal: stop.signal }));
    await until(() => isOpen);
    if (type === 'application/json') expect((await call).code).toBe('UPSTREAM_ANSWER_REFUSED');
    stop.abort();
    await call;
    await until(() => isClosed);
  });

  it('that leaves a stream open behind its answer is not held to it', async () => {
    let isClosed = false;
    await using server = await serveScript((visit) => {
      visit.response.once('close', () => {
        isClosed = true;
      });
      stream(visit, event({ id: visit.message['id'], result: text('ok') }));
    });
    await using scene = openHttp(server.url, { timers: hasty });
    expect(wordsOf(await scene.call('any'))).toBe('ok');
    await until(() => isClosed);
  });

  it('leaves nothing open', async () => {
    let open = 0;
    await using server = await serveScript((visit) => {
      open += 1;
      visit.response.once('close', () => {
        open -= 1;
      });
      stream(visit, ': hello\n\n');
    });
    const scene = openHttp(server.url);
    const calls = Array.from({ length: 10 }, async () => failureOf(scene.call('any')));
    await until(() => open === 10);
    await scene.upstream.end();
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(Array.from({ length: 10 }, () => 'UPSTREAM_LOST'));
    await until(() => open === 0);
  });
});
