import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import { serveOverStdio } from '../transports/stdio.ts';
import { createFixture } from './fixture.ts';

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function start(graceMs = 20) {
  const fixture = createFixture();
  const input = new PassThrough();
  const output = new PassThrough();
  const running = serveOverStdio(fixture.server, { input, output, graceMs });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const send = (message: unknown) => input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const next = async (): Promise<Record<string, unknown>> => {
    const { value } = await lines.next();
    const message: unknown = JSON.parse(String(value));
    return isRecord(message) ? message : {};
  };
  const ask = async (method: string, params: unknown, id = 1) => {
    send({ jsonrpc: '2.0', id, method, params });
    return next();
  };
  return { ...fixture, input, output, running, send, next, ask };
}

function textOf({ result }: Record<string, unknown>): unknown {
  const content = isRecord(result) ? result['content'] : undefined;
  return Array.isArray(content) && isRecord(content[0]) ? content[0]['text'] : undefined;
}

async function initialize({ ask, send }: ReturnType<typeof start>) {
  const answer = await ask(
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    0,
  );
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return answer;
}

describe('MCP over stdio', () => {
  it('serves the legacy era: initialize, list, call', async () => {
    const session = start();
    expect(await initialize(session)).toMatchObject({
      result: { protocolVersion: '2025-11-25', serverInfo: { name: 'devs', version: '1.2.3' } },
    });
    expect(await session.ask('tools/list', {})).toMatchObject({
      result: { tools: [{ name: 'echo', annotations: { readOnlyHint: true } }, { name: 'wait' }, { name: 'later' }] },
    });
    expect(textOf(await session.ask('tools/call', { name: 'echo', arguments: { text: 'hello' } }))).toBe('hello');
    expect(session.records).toMatchObject([{ toolName: 'echo', channel: 'stdio', principal: 'local', status: 'ok' }]);
  });

  it('serves the modern era: discover and call, without a handshake', async () => {
    const session = start();
    expect(await session.ask('server/discover', { _meta: MODERN })).toMatchObject({
      result: { supportedVersions: ['2026-07-28'], resultType: 'complete' },
    });
    const answer = await session.ask('tools/call', { name: 'echo', arguments: { text: 'hi' }, _meta: MODERN });
    expect(answer).toMatchObject({ result: { resultType: 'complete', content: [{ type: 'text', text: 'hi' }] } });
  });

  it.each([
    ['null', '{"name":"echo","arguments":null}'],
    ['an array', '{"name":"echo","arguments":["text"]}'],
    ['of a wrong type', '{"name":"echo","arguments":{"text":7}}'],
    ['too many', '{"name":"echo","arguments":{"text":"a","more":1}}'],
    ['a prototype', '{"name":"echo","arguments":{"text":"a","__proto__":{"admin":true}}}'],
    ['a prototype further in', '{"name":"echo","arguments":{"text":{"__proto__":{}}}}'],
  ])('answers and records arguments that are %s, and lives on', async (_name, params) => {
    const session = start();
    await initialize(session);
    session.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${params}}`);
    expect(await session.next()).toMatchObject({
      id: 5,
      result: { isError: true, _meta: { 'devs/refusal': { code: 'TOOL_ARG_VALIDATION_FAILURE' } } },
    });
    expect(session.records).toMatchObject([{ status: 'denied', code: 'TOOL_ARG_VALIDATION_FAILURE' }]);
    expect(textOf(await session.ask('tools/call', { name: 'echo', arguments: { text: 'still here' } }))).toBe('still here');
  });

  it.each(['constructor', '__proto__', 'toString', '', 'read\nfile'])('knows no tool called %j', async (name) => {
    const session = start();
    await initialize(session);
    expect(await session.ask('tools/call', { name, arguments: {} })).toMatchObject({
      result: { isError: true, _meta: { 'devs/refusal': { code: 'UNKNOWN_TOOL' } } },
    });
    expect(session.records).toHaveLength(1);
  });

  it('answers a method that it does not have with a protocol error', async () => {
    const session = start();
    await initialize(session);
    expect(await session.ask('acme/unknown', {})).toMatchObject({ error: { code: -32601 } });
    expect(session.records).toHaveLength(0);
  });

  it('offers a tool of one phase to callers that claim that phase alone', async () => {
    const session = start();
    await initialize(session);
    const hidden = await session.ask('tools/call', { name: 'plan_only', arguments: { text: 'a' } });
    expect(hidden).toMatchObject({ result: { _meta: { 'devs/refusal': { code: 'UNKNOWN_TOOL' } } } });
    const _meta = { 'devs/context': { phaseId: 'planning' } };
    expect(textOf(await session.ask('tools/call', { name: 'plan_only', arguments: { text: 'a' }, _meta }))).toBe('a');
    expect(JSON.stringify(await session.ask('tools/list', {}))).not.toContain('plan_only');
    expect(JSON.stringify(await session.ask('tools/list', { _meta }))).toContain('plan_only');
  });

  it('refuses tools/list with hostile claims', async () => {
    const session = start();
    await initialize(session);
    const _meta = { 'devs/context': { phaseId: 'a\u0000b' } };
    expect(await session.ask('tools/list', { _meta })).toMatchObject({ error: { code: -32602 } });
  });

  it('records a call as cancelled when the client goes away in the middle of it', async () => {
    const session = start();
    await initialize(session);
    session.send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'wait', arguments: {} } });
    session.send({ jsonrpc: '2.0', id: 10, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } });
    await session.next();
    session.input.end();
    await session.running.closed;
    expect(session.records.map(({ code }) => code)).toEqual([null, 'CALL_CANCELLED']);
  });

  it('records a call that the client cancels', async () => {
    const session = start();
    await initialize(session);
    session.send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'wait', arguments: {} } });
    session.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
    session.input.end();
    await session.running.closed;
    expect(session.records).toMatchObject([{ toolName: 'wait', code: 'CALL_CANCELLED', isError: true }]);
  });

  it('answers what was asked before the input ended', async () => {
    const session = start();
    await initialize(session);
    for (let id = 1; id <= 50; id += 1) {
      session.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text: `${id}` } } });
    }
    session.input.end();
    const answered = [];
    for (let count = 0; count < 50; count += 1) answered.push(textOf(await session.next()));
    await session.running.closed;
    expect(answered).toHaveLength(50);
    expect(session.records.every(({ status }) => status === 'ok')).toBe(true);
  });

  it('lets a call under way come to its end after the input has ended', async () => {
    const session = start(60_000);
    await initialize(session);
    session.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'later', arguments: {} } });
    session.input.end();
    expect(textOf(await session.next())).toBe('late');
    await session.running.closed;
    expect(session.records).toMatchObject([{ toolName: 'later', status: 'ok' }]);
  });

  it('runs 64 calls at once and keeps the others waiting', async () => {
    const session = start();
    await initialize(session);
    for (let id = 1; id <= 100; id += 1) {
      session.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait', arguments: {} } });
    }
    while (session.server.inFlight < 100) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(session.started).toHaveLength(64);
    session.input.end();
    await session.running.closed;
    expect(session.records).toHaveLength(100);
    expect(session.started).toHaveLength(64);
  });

  it('does not let a refusal wait behind calls that run', async () => {
    const session = start();
    await initialize(session);
    for (let id = 1; id <= 70; id += 1) {
      session.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait', arguments: {} } });
    }
    session.send('{"jsonrpc":"2.0","id":"refused","method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{}}}}');
    expect(await session.next()).toMatchObject({ id: 'refused', result: { isError: true } });
    session.input.end();
    await session.running.closed;
  });

  it('refuses and records calls once it is stopping', async () => {
    const session = start();
    await initialize(session);
    session.server.stopTakingCalls();
    expect(await session.ask('tools/call', { name: 'echo', arguments: { text: 'late' } })).toMatchObject({
      result: { isError: true, _meta: { 'devs/refusal': { code: 'SERVER_STOPPING', retryAllowed: true } } },
    });
    expect(session.records).toMatchObject([{ code: 'SERVER_STOPPING', status: 'denied' }]);
  });

  it('closes when it is asked to', async () => {
    const session = start();
    await initialize(session);
    await session.running.close();
    await session.running.closed;
    expect(session.input.destroyed).toBe(true);
  });

  it('runs no more calls than fit while the client does not read its answers', async () => {
    const session = start();
    const text = 'x'.repeat(100_000);
    await initialize(session);
    for (let id = 1; id <= 300; id += 1) {
      session.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } });
    }
    session.output.removeAllListeners('data').pause();
    let still = 0;
    for (let seen = -1; still < 500; still += 1) {
      if (session.records.length !== seen) still = 0;
      seen = session.records.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(session.records.length).toBeGreaterThan(0);
    expect(session.records.length).toBeLessThan(150);
    session.output.resume();
    while (session.records.length < 300) await new Promise((resolve) => setImmediate(resolve));
    expect(session.server.inFlight).toBeLessThan(300);
  });

  it('ends when the input breaks', async () => {
    const session = start();
    session.input.destroy(new Error('broken'));
    await session.running.closed;
    expect(session.records).toHaveLength(0);
  });
});
