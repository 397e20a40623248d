import { describe, expect, it } from '@jest/globals';
import { createToken } from '../auth/token.ts';
import { echoCall, openWire, startHttp, textOf, type Asked } from './http-wire.ts';

const CALL = echoCall('modern');

function withHeaders(headers: Record<string, string | undefined>, rest: Asked = {}): Asked {
  return { ...CALL, headers: { ...CALL.headers, ...headers }, ...rest };
}

function allowed({ headers }: Asked): string {
  return headers?.['mcp-protocol-version'] === '2026-07-28' ? 'POST' : 'GET, POST, DELETE';
}

describe('the admission of HTTP requests', () => {
  it.each<[string, Asked, number]>([
    ['GET of the newer protocol', { method: 'GET', headers: { 'mcp-protocol-version': '2026-07-28' } }, 405],
    ['DELETE of the newer protocol', { method: 'DELETE', headers: { 'mcp-protocol-version': '2026-07-28' } }, 405],
    ['GET with a body', { method: 'GET', body: '{}' }, 400],
    ['DELETE with chunks', { method: 'DELETE', headers: { 'content-length': undefined }, raw: ['transfer-encoding: chunked'], body: '0\r\n\r\n' }, 400],
    ['GET of a WebSocket', { method: 'GET', headers: { connection: 'upgrade', upgrade: 'websocket' } }, 400],
    ['two session ids', { ...CALL, raw: ['Mcp-Session-Id: a', 'mcp-session-id: b'] }, 400],
    ['two names of the tool', { ...CALL, raw: ['mcp-name: wait'] }, 400],
    ['one argument twice', { ...CALL, raw: ['mcp-param-x: a', 'MCP-Param-X: b'] }, 400],
    ['PUT', { ...CALL, method: 'PUT' }, 405],
    ['PATCH', { ...CALL, method: 'PATCH' }, 405],
    ['OPTIONS', { method: 'OPTIONS' }, 405],
    ['TRACE', { method: 'TRACE' }, 405],
    ['QUERY', { ...CALL, method: 'QUERY' }, 405],
    ['CONNECT', { method: 'CONNECT', path: '127.0.0.1:80' }, 405],
    ['a method that does not exist', { method: 'STEAL' }, 400],
    ['another path', { ...CALL, path: '/' }, 404],
    ['a path that goes round', { ...CALL, path: '/mcp/../etc' }, 404],
    ['a whole URL for a path', { ...CALL, path: 'http://127.0.0.1/mcp' }, 404],
    ['no content type', withHeaders({ 'content-type': undefined }), 415],
    ['a form, which any page may send', withHeaders({ 'content-type': 'application/x-www-form-urlencoded' }), 415],
    ['text, which any page may send', withHeaders({ 'content-type': 'text/plain' }), 415],
    ['a type that begins right', withHeaders({ 'content-type': 'application/jsonp' }), 415],
    ['a compressed body', withHeaders({ 'content-encoding': 'gzip' }), 415],
    ['two content encodings', withHeaders({ 'content-encoding': 'identity, gzip' }), 415],
    ['a compressed transfer', { ...CALL, headers: { 'content-length': undefined, 'transfer-encoding': 'gzip, chunked' }, body: '0\r\n\r\n' }, 415],
    ['another expectation', withHeaders({ expect: 'the-spanish-inquisition' }), 417],
    ['an upgrade to a WebSocket', withHeaders({ connection: 'upgrade', upgrade: 'websocket' }), 400],
    ['no Host', withHeaders({ host: undefined }), 403],
    ['an empty Host', withHeaders({ host: '' }), 403],
    ['an Origin that is empty', withHeaders({ origin: '' }), 403],
    ['two Hosts, the right one first', { ...CALL, raw: ['Host: evil.example'] }, 400],
    ['the same Host twice', { ...CALL, raw: ['HOST: 127.0.0.1'] }, 400],
    ['two tokens, the right one first', { ...CALL, raw: ['Authorization: Bearer x'] }, 400],
    ['two Origins', { ...CALL, raw: ['Origin: http://localhost', 'origin: null'] }, 400],
    ['two content types', { ...CALL, raw: ['content-type: text/plain'] }, 400],
    ['two lengths', { ...CALL, raw: ['content-length: 5'] }, 400],
    ['a length and chunks', { ...CALL, raw: ['transfer-encoding: chunked'] }, 400],
    ['a negative length', withHeaders({ 'content-length': '-1' }), 400],
    ['a length that is no number', withHeaders({ 'content-length': '0x10' }), 400],
    ['a length beyond all numbers', withHeaders({ 'content-length': '9'.repeat(40) }), 400],
    ['a header with a bare line feed', { ...CALL, raw: ['x: a\nhost: evil.example'] }, 400],
    ['a header that goes on in the next line', { ...CALL, raw: ['x: a', ' b'] }, 400],
    ['a header without a name', { ...CALL, raw: [': x'] }, 400],
    ['a header with a zero', { ...CALL, raw: ['x: a\0b'] }, 400],
    ['headers that are too large', { ...CALL, raw: [`x: ${'a'.repeat(20_000)}`] }, 431],
    ['a second Host behind 2,100 headers', { ...CALL, raw: [...Array.from({ length: 2_100 }, () => 'a:'), 'Host: evil.example'] }, 400],
  ])('refuses %s with JSON, records nothing, and goes on', async (_name, asked, status) => {
    await using served = await startHttp();
    using wire = openWire(served);
    const reply = await wire.ask(asked);
    expect(reply).toMatchObject({ status, message: { jsonrpc: '2.0', id: null, error: { code: -32_050 } } });
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.headers.get('connection')).toBe('close');
    expect(reply.headers.get('allow')).toBe(status === 405 ? allowed(asked) : undefined);
    await wire.closed();
    expect(served.records).toHaveLength(0);
    using next = openWire(served);
    expect(textOf(await next.ask(CALL))).toBe('hello');
  });

  it.each<[string, string]>([
    ['what is not HTTP', 'hello\r\n\r\n'],
    ['TLS', '\u0016\u0003\u0001\u0002\0'],
    ['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version that does not exist', 'POST /mcp HTTP/9.9\r\n\r\n'],
  ])('answers %s with 400 and quotes nothing of it', async (_name, bytes) => {
    await using served = await startHttp();
    using wire = openWire(served);
    const reply = await wire.write(Buffer.from(bytes, 'latin1')).reply();
    expect(reply).toMatchObject({ status: 400, message: { error: { message: 'This is not HTTP/1.1 as devs understands it.' } } });
    await wire.closed();
  });

  it('checks admission before it says how busy it is, or what it would serve', async () => {
    await using served = await startHttp({ maxConnections: 1 });
    using first = openWire(served);
    expect(textOf(await first.ask(CALL))).toBe('hello');
    using extra = openWire(served);
    expect(await extra.ask(withHeaders({ authorization: `Bearer ${createToken()}` }))).toMatchObject({ status: 401 });
    using foreign = openWire(served);
    expect(await foreign.ask(withHeaders({ host: 'evil.example', expect: 'x' }, { method: 'GET' }))).toMatchObject({ status: 403 });
  });

  it('asks for the body only once the request is admitted', async () => {
    await using served = await startHttp({ lingerMs: 50 });
    using refused = openWire(served);
    refused.write(refused.head(withHeaders({ expect: '100-continue', authorization: undefined, 'content-length': '10' })));
    expect(await refused.reply()).toMatchObject({ status: 401 });
    await refused.closed();
    expect(refused.received).toBe('');
    using admitted = openWire(served);
    const body = String(CALL.body);
    admitted.write(admitted.head(withHeaders({ expect: '100-continue', 'content-length': String(body.length) })));
    expect(await admitted.reply()).toMatchObject({ status: 100 });
    expect(textOf(await admitted.write(body).reply())).toBe('hello');
  });

  it('passes over the offer of HTTP/2 that some clients make', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
    const reply = await wire.ask(withHeaders(offer));
    expect(textOf(reply)).toBe('hello');
    // What a client sent behind the offer is lost in the parser: it must not take a later answer for that one's.
    expect(reply.headers.get('connection')).toBe('close');
    await wire.closed();
  });

  it.each([
    ['what is not HTTP', 'GARBAGE\r\n\r\n'],
    ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n'],
  ])('gives no refusal of %s for the answer of the call before it', async (_name, bytes) => {
    await using served = await startHttp();
    using wire = openWire(served);
    wire.write(Buffer.concat([Buffer.from(wire.head(withHeaders({ 'content-length': String(String(CALL.body).length) }))), Buffer.from(String(CALL.body)), Buffer.from(bytes)]));
    expect(textOf(await wire.reply())).toBe('hello');
    await wire.closed();
    expect(wire.received).toBe('');
  });

  it('serves a charset, a query and an identity encoding', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    const plain = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'identity' };
    expect(textOf(await wire.ask(withHeaders(plain, { path: '/mcp?x=1' })))).toBe('hello');
  });
});
