import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { createToken } from '../auth/token.ts';
import { serveOperator, type OperatorOptions, type RunningOperatorServer } from '../transports/operator.ts';
import { openWire, startHttp, until } from './http-wire.ts';

interface Operator extends AsyncDisposable {
  readonly running: RunningOperatorServer;
  readonly authorization: string;
}

async function start(options: Partial<OperatorOptions> = {}): Promise<Operator> {
  const token = createToken();
  const running = await serveOperator({ host: '127.0.0.1', port: 0, token, status: async () => ({ sessions: 3 }), ...options });
  return { running, authorization: `Bearer ${token}`, [Symbol.asyncDispose]: async () => running.close() };
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function ask({ running }: Operator, { path = '/status', method = 'GET', headers = {}, body = '' }: Asked) {
  return new Promise<{ readonly status: number | undefined; readonly body: unknown; readonly headers: object }>((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port: running.port, path, method, headers, agent: false }, (response) => {
      readAll(response)
        .then((text) => resolve({ status: response.statusCode, body: JSON.parse(text), headers: response.headers }))
        .catch(reject);
    });
    sent.once('error', reject).end(body);
  });
}

describe("the operator's port", () => {
  it('tells whoever asks that devs is well, and what goes on only to who has the token', async () => {
    await using operator = await start();
    const { authorization } = operator;
    expect(await ask(operator, { path: '/health' })).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await ask(operator, { headers: { authorization } })).toMatchObject({ status: 200, body: { sessions: 3 }, headers: { 'cache-control': 'no-store' } });
    expect(await ask(operator, { path: '/status?x=1', headers: { authorization } })).toMatchObject({ status: 200 });
  });

  it.each<[string, Asked, number]>([
    ['no token', {}, 401],
    ['another token', { headers: { authorization: `Bearer ${createToken()}` } }, 401],
    ['a foreign Host', { path: '/health', headers: { host: 'evil.example' } }, 403],
    ['a Host that stands for two addresses', { headers: { host: 'localhost' } }, 403],
    ['a foreign Origin', { path: '/health', headers: { origin: 'https://evil.example' } }, 403],
    ['the Origin null', { path: '/health', headers: { origin: 'null' } }, 403],
    ['another method', { path: '/health', method: 'POST' }, 405],
    ['the path of the agents', { path: '/mcp', method: 'POST' }, 404],
    ['another path', { path: '/' }, 404],
    ['a path that goes round', { path: '/health/../status' }, 404],
  ])('refuses %s', async (_name, asked, status) => {
    await using operator = await start();
    const reply = await ask(operator, asked);
    expect(reply).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(JSON.stringify(reply.body)).not.toContain('sessions');
  });

  it('holds and shows one numeric address where it is asked for a name of two', async () => {
    await using operator = await start({ host: 'localhost' });
    expect(operator.running.url).toBe(`http://127.0.0.1:${operator.running.port}`);
    expect(await ask(operator, { headers: { authorization: operator.authorization } })).toMatchObject({ status: 200 });
  });

  it('and the port of the agents do not open with the token of the other', async () => {
    await using operator = await start();
    await using served = await startHttp();
    expect(await ask(operator, { headers: { authorization: served.authorization } })).toMatchObject({ status: 401 });
    using wire = openWire({ ...served, authorization: operator.authorization });
    expect(await wire.ask({ path: '/status', method: 'GET' })).toMatchObject({ status: 401 });
    using agent = openWire(served);
    for (const path of ['/status', '/health']) {
      using each = openWire(served);
      expect(await each.ask({ path, method: 'GET' })).toMatchObject({ status: 404 });
    }
    expect(agent.isClosed).toBe(false);
  });

  it('says that devs is not well, and nothing of why', async () => {
    await using operator = await start({
      isHealthy: () => false,
      status: async () => {
        throw new Error('the secret cause');
      },
    });
    expect(await ask(operator, { path: '/health' })).toMatchObject({ status: 503, body: { status: 'unavailable' } });
    const reply = await ask(operator, { headers: { authorization: operator.authorization } });
    expect(reply.status).toBe(500);
    expect(JSON.stringify(reply)).not.toContain('secret cause');
  });

  it('asks for the status once, however many wait for it', async () => {
    const told = Promise.withResolvers<void>();
    let asked = 0;
    const status = async () => {
      asked += 1;
      await told.promise;
      return { asked };
    };
    await using operator = await start({ status });
    const headers = { authorization: operator.authorization };
    const replies = [1, 2, 3].map(async () => ask(operator, { headers }));
    await ask(operator, { path: '/health' });
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    await ask(operator, { path: '/health' });
    told.resolve();
    const bodies = (await Promise.all(replies)).map(({ body }) => body);
    expect(bodies[0]).toEqual({ asked: 1 });
    expect(asked).toBeLessThanOrEqual(2);
  });

  it('answers, however many connections are open on which nothing is said', async () => {
    await using operator = await start();
    let closed = 0;
    const silent = Array.from({ length: 40 }, () => connect(operator.running.port, '127.0.0.1').on('error', () => undefined).once('close', () => (closed += 1)));
    await Promise.all(silent.map(async (socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of silent) socket.write('GET /health HTTP/1.1\r\n');
    expect(await ask(operator, { path: '/health' })).toMatchObject({ status: 200 });
    await until(() => closed >= 8);
    for (const socket of silent) socket.destroy();
  });

  it('reads no body, and stops with connections open', async () => {
    const operator = await start();
    expect(await ask(operator, { path: '/health', headers: { 'content-length': '1' }, body: 'x' })).toMatchObject({ status: 200 });
    const socket = connect(operator.running.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    await operator.running.close();
    await Promise.all([closed, operator.running.closed]);
  });
});
