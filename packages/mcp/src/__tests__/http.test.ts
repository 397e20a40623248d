import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createToken, isAuthorized } from '../auth/token.ts';
import { serveOverHttp, type RunningHttpServer } from '../transports/http.ts';
import { createFixture } from './fixture.ts';

const token = createToken();
const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: 'hello' }, _meta: META },
};
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
};
const opened: RunningHttpServer[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (server) => server.close()));
});

async function start() {
  const fixture = createFixture();
  const running = await serveOverHttp(fixture.server, { host: '127.0.0.1', port: 0, token });
  opened.push(running);
  return { ...fixture, running };
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly challenge: string | undefined;
}

/** A raw request: `fetch` would not let Host be forged. */
async function post(port: number, headers: Record<string, string>, path = '/mcp'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port, path, method: 'POST', headers: { ...HEADERS, 'mcp-name': 'echo', ...headers } },
      (response) => {
        const challenge = response.headers['www-authenticate'];
        readAll(response).then((body) => resolve({ status: response.statusCode ?? 0, body, challenge }), reject);
      },
    );
    sent.once('error', reject).end(JSON.stringify(CALL));
  });
}

const authorization = `Bearer ${token}`;

/** RFC 6750: only of a token that was given it is said that it is none. */
function challenge(headers: { readonly authorization?: string }): string {
  return headers.authorization?.startsWith('Bearer ') === true ? 'Bearer error="invalid_token"' : 'Bearer';
}

describe('MCP over HTTP', () => {
  it.each(['legacy', 'auto'] as const)('serves the official client, negotiation %s', async (mode) => {
    const { running, records } = await start();
    const transport = new StreamableHTTPClientTransport(new URL(running.url), { requestInit: { headers: { authorization } } });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'wait', 'later']);
    const result = await client.callTool({ name: 'echo', arguments: { text: 'over http' } });
    expect(result.content).toEqual([{ type: 'text', text: 'over http' }]);
    await client.close();
    expect(records).toMatchObject([{ channel: 'http', principal: 'token', status: 'ok' }]);
  });

  it.each([
    ['no token', {}, 401],
    ['a wrong token', { authorization: `Bearer ${createToken()}` }, 401],
    ['the token cut short', { authorization: authorization.slice(0, -1) }, 401],
    ['the token with more behind', { authorization: `${authorization}a` }, 401],
    ['another scheme', { authorization: `Basic ${token}` }, 401],
    ['a foreign Host', { authorization, host: 'evil.example' }, 403],
    ['a Host that begins right', { authorization, host: '127.0.0.1.evil.example' }, 403],
    ['a Host of another port', { authorization, host: '127.0.0.1:1' }, 403],
    ['a foreign Origin', { authorization, origin: 'https://evil.example' }, 403],
    ['an Origin of another port of this machine', { authorization, origin: 'http://127.0.0.1:1' }, 403],
    ['a Host that stands for two addresses', { authorization, host: 'localhost:PORT' }, 403],
    ['the Origin null', { authorization, origin: 'null' }, 403],
    ['an Origin that begins right', { authorization, origin: 'http://127.0.0.1:PORT.evil.example' }, 403],
  ])('refuses %s, and the tool is not called', async (_name, headers, status) => {
    const { running, records } = await start();
    const forged = Object.entries(headers).map(([key, value]) => [key, value.replace('PORT', String(running.port))]);
    const reply = await post(running.port, Object.fromEntries(forged));
    expect(reply.status).toBe(status);
    expect(reply.challenge).toBe(status === 401 ? challenge(headers) : undefined);
    expect(JSON.parse(reply.body)).toMatchObject({ jsonrpc: '2.0', error: { code: -32_050 } });
    expect(records).toHaveLength(0);
  });

  it('checks Host and Origin also when no token is asked for', async () => {
    const { server, records } = createFixture();
    const open = await serveOverHttp(server, { host: '127.0.0.1', port: 0, token: undefined });
    opened.push(open);
    expect((await post(open.port, {})).status).toBe(200);
    expect((await post(open.port, { host: 'evil.example' })).status).toBe(403);
    expect((await post(open.port, { origin: 'null' })).status).toBe(403);
    expect(records).toMatchObject([{ principal: 'unauthenticated' }]);
  });

  it('lets a page of its own origin in', async () => {
    const { running } = await start();
    const origin = `http://127.0.0.1:${running.port}`;
    expect((await post(running.port, { authorization, origin })).status).toBe(200);
  });

  it('holds and shows one numeric address where it is asked for a name of two', async () => {
    const { server } = createFixture();
    const running = await serveOverHttp(server, { host: 'localhost', port: 0, token });
    opened.push(running);
    expect(running.url).toBe(`http://127.0.0.1:${running.port}/mcp`);
    expect((await post(running.port, { authorization })).status).toBe(200);
  });

  it.each(['0.0.0.0', '::', 'evil.example'])('does not listen on %s', async (host) => {
    const { server } = createFixture();
    await expect(serveOverHttp(server, { host, port: 0, token })).rejects.toThrow('on this machine alone');
  });

  it('has nothing but /mcp', async () => {
    const { running } = await start();
    expect((await post(running.port, { authorization }, '/')).status).toBe(404);
    expect((await post(running.port, { authorization }, '/mcp/../etc')).status).toBe(404);
    expect((await post(running.port, { authorization }, '/mcp?x=1')).status).toBe(200);
  });

  it('takes no more calls once it is closing, also on connections that are open', async () => {
    const { running, records, server } = await start();
    const socket = connect(running.port, '127.0.0.1');
    const ask = (name: string) => {
      const body = JSON.stringify({ ...CALL, params: { name, arguments: { text: 'x' }, _meta: META } });
      const head = ['POST /mcp HTTP/1.1', `host: 127.0.0.1:${running.port}`, `authorization: ${authorization}`];
      const rest = [...Object.entries({ ...HEADERS, 'mcp-name': name }).map((header) => header.join(': ')), `content-length: ${body.length}`];
      socket.write(`${[...head, ...rest].join('\r\n')}\r\n\r\n${body}`);
    };
    ask('later');
    while (server.inFlight === 0) await new Promise((resolve) => setImmediate(resolve));
    const closing = running.close();
    ask('echo');
    await closing;
    socket.destroy();
    expect(records.map(({ toolName }) => toolName)).toEqual(['later']);
  });

  it('says when the port is taken', async () => {
    const { running } = await start();
    const { server } = createFixture();
    await expect(serveOverHttp(server, { host: '127.0.0.1', port: running.port, token })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it('records a call as cancelled when the client hangs up', async () => {
    const { running, records, server } = await start();
    const hangUp = new AbortController();
    const sent = fetch(running.url, {
      method: 'POST',
      headers: { authorization, ...HEADERS, 'mcp-name': 'wait' },
      body: JSON.stringify({ ...CALL, params: { name: 'wait', arguments: {}, _meta: META } }),
      signal: hangUp.signal,
    }).catch(() => undefined);
    while (server.inFlight === 0) await new Promise((resolve) => setImmediate(resolve));
    hangUp.abort();
    await sent;
    await server.drain();
    expect(records).toMatchObject([{ toolName: 'wait', code: 'CALL_CANCELLED' }]);
  });
});

describe('bearer tokens', () => {
  it('are long, new each time, and compared as a whole', () => {
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(createToken()).not.toBe(token);
    expect(isAuthorized(`Bearer ${token}`, token)).toBe(true);
    expect(isAuthorized(`bearer   ${token}`, token)).toBe(true);
    for (const header of [undefined, '', 'Bearer', 'Bearer ', token, `Bearer ${token} x`, `Bearer ${token}\n`]) {
      expect(isAuthorized(header, token)).toBe(false);
    }
  });
});
