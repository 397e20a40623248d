import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { AgentLogRecord } from '@devs/core';
import { createToken } from '../auth/token.ts';
import { serveOverHttp, type RunningHttpServer } from '../transports/http.ts';
import { serveOverStdio } from '../transports/stdio.ts';
import { createFixture } from './fixture.ts';

const token = createToken();
const opened: RunningHttpServer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (server) => server.close()));
});

const toShown = ({ agentId, turnIndex, agentSource, code }: AgentLogRecord) => [agentId, turnIndex, agentSource, code];
const ECHO = { name: 'echo', arguments: { text: 'x' } };
const claiming = (claims: object) => ({ ...ECHO, _meta: { 'devs/context': claims } });

async function startHttp(options: { readonly sessionIdleMs?: number } = {}) {
  const fixture = createFixture();
  const running = await serveOverHttp(fixture.server, { host: '127.0.0.1', port: 0, token, ...options });
  opened.push(running);
  const connect = async (name: string, mode: 'legacy' | 'auto') => {
    const client = new Client({ name, version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(running.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
    return client;
  };
  return { ...fixture, running, connect };
}

/** The SDK's own client, its messages over a pair of streams. */
async function connectStdio(fixture: ReturnType<typeof createFixture>, name: string, mode: 'legacy' | 'auto') {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const running = serveOverStdio(fixture.server, { input, output, graceMs: 20 });
  let rest = '';
  output.on('data', (chunk) => {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) overPair.onmessage?.(JSON.parse(line));
  });
  const overPair: Transport = {
    start: async () => undefined,
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => void input.end(),
  };
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode } });
  await client.connect(overPair);
  return { client, input, end: async () => (input.end(), running.closed) };
}

describe.each(['legacy', 'auto'] as const)('the official client over stdio, negotiation %s', (mode) => {
  it('is in the log by its own name, and counted, until it claims another', async () => {
    const fixture = createFixture();
    const { client, end } = await connectStdio(fixture, 'claude-code', mode);
    await client.listTools();
    await client.callTool(ECHO);
    await client.callTool({ name: 'nothing', arguments: {} });
    await client.callTool(claiming({ agentId: 'planner', turnIndex: 40 }));
    await client.callTool(claiming({ phaseId: 'p1' }));
    await client.callTool(claiming({ agentId: 'a\u202eb' }));
    expect(fixture.records.map(toShown)).toEqual([
      ['claude-code#1', 0, 'clientInfo', null],
      ['claude-code#1', 1, 'clientInfo', 'UNKNOWN_TOOL'],
      ['planner', 40, 'claimed', null],
      ['claude-code#1', 3, 'clientInfo', null],
      ['claude-code#1', 4, 'clientInfo', 'CONTEXT_REFUSED'],
    ]);
    expect(fixture.records[3]).toMatchObject({ phaseId: 'p1' });
    await end();
    const second = await connectStdio(fixture, 'claude-code', mode);
    await second.client.callTool(ECHO);
    expect(fixture.records.slice(5).map(toShown)).toEqual([['claude-code#2', 0, 'clientInfo', null]]);
    await second.end();
  });
});

describe('over HTTP', () => {
  it('each session of the older protocol is one of its own', async () => {
    const { connect, records } = await startHttp();
    const [one, other] = [await connect('claude-code', 'legacy'), await connect('claude-code', 'legacy')];
    for (const client of [one, other, one]) await client.callTool(ECHO);
    expect(records.map(toShown)).toEqual([
      ['claude-code#1', 0, 'clientInfo', null],
      ['claude-code#2', 0, 'clientInfo', null],
      ['claude-code#1', 1, 'clientInfo', null],
    ]);
    await Promise.all([one.close(), other.close()]);
  });

  it('requests of the newer belong to their principal and its client', async () => {
    const { connect, records } = await startHttp();
    const clients = [await connect('claude-code', 'auto'), await connect('codex', 'auto'), await connect('claude-code', 'auto')];
    for (const client of clients) await client.callTool(ECHO);
    expect(records.map(toShown)).toEqual([
      ['claude-code#1', 0, 'clientInfo', null],
      ['codex#2', 0, 'clientInfo', null],
      ['claude-code#1', 1, 'clientInfo', null],
    ]);
    await Promise.all(clients.map(async (client) => client.close()));
  });
});

describe('a client that does not say what it is called', () => {
  it('is nobody, and its calls are counted', async () => {
    const fixture = createFixture();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const running = serveOverStdio(fixture.server, { input, output, graceMs: 20 });
    output.resume();
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const call = (id: number, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...ECHO, _meta: meta, ...params } });
    // The last one is turned away before the SDK sees it.
    const poisoned = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":1},"_meta":${JSON.stringify(meta)}}}`;
    for (const [index, line] of [call(1, {}), call(2, { _meta: { ...meta, 'devs/context': { agentId: '' } } }), poisoned].entries()) {
      input.write(`${line}\n`);
      while (fixture.records.length <= index) await setImmediate();
    }
    expect(fixture.records.map(toShown)).toEqual([
      ['anonymous#0', 0, undefined, null],
      ['anonymous#0', 1, undefined, null],
      ['anonymous#0', 2, undefined, expect.any(String)],
    ]);
    input.end();
    await running.closed;
  });
});
