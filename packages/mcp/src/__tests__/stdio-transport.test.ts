import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { DevsError } from '@devs/core';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { LineTransport, type LineTransportOptions } from '../transports/line-transport.ts';
import { call, INITIALIZE, turns, until } from './stdio-scene.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The transport alone; the test is the SDK. */
async function connect(options: Partial<LineTransportOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk) => (text += String(chunk)));
  const refused: { readonly params: unknown; readonly code: string }[] = [];
  const record = async (params: unknown, { code }: DevsError) => {
    refused.push({ params, code });
  };
  const transport = new LineTransport({ input, output, maxMessageBytes: 10_000, logger: silent, record, ...options });
  const delivered: JSONRPCMessage[] = [];
  transport.onmessage = (message) => delivered.push(message);
  await transport.start();
  const write = (...messages: readonly unknown[]) => messages.forEach((message) => input.write(`${JSON.stringify(message)}\n`));
  return { input, output, transport, delivered, refused, write, answers: () => text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as unknown) };
}

const answer = (id: string | number, result: object = {}): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: { ...result } });

describe('the transport of lines', () => {
  it('hands on nothing that comes before the first request: the SDK would take it for the older protocol', async () => {
    const { write, answers, delivered } = await connect();
    write({ jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 1, result: {} }, { jsonrpc: '2.0', id: 2, method: 'ping' });
    await until(() => answers().length === 1);
    expect([answers(), delivered]).toEqual([[{ jsonrpc: '2.0', id: 2, result: {} }], []]);
    write(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 1, result: {} }, { jsonrpc: '2.0', id: 2, method: 'ping' });
    await until(() => delivered.length === 4);
  });

  it('outlives whoever takes its messages, and answers in his place', async () => {
    const { transport, write, answers, refused, delivered } = await connect();
    transport.onmessage = (message) => {
      if ('id' in message && message.id !== 'handshake') throw new Error('secret');
      delivered.push(message);
    };
    write(INITIALIZE, call(1), { jsonrpc: '2.0', id: 2, method: 'tools/list' }, { jsonrpc: '2.0', method: 'notifications/none' });
    await until(() => answers().length === 2);
    expect(answers()).toMatchObject([2, 1].map((id) => ({ id, error: { code: -32603, message: 'devs met an unexpected condition and refused the call.' } })));
    expect(refused).toMatchObject([{ params: { name: 'echo' }, code: 'INTERNAL_ERROR' }]);
    expect(delivered).toHaveLength(2);
  });

  it.each([
    ['a circle', () => { const circle: Record<string, unknown> = {}; circle['self'] = circle; return circle; }],
    ['a bigint', () => ({ number: 1n })],
    ['what throws', () => ({ toJSON: () => { throw new Error('secret'); } })],
  ])('answers a failure where the answer is %s', async (_name, create) => {
    const { transport, write, answers } = await connect();
    write(INITIALIZE);
    await turns(5);
    await transport.send(answer('handshake', { value: create() }));
    await transport.send(answer('other'));
    await until(() => answers().length === 2);
    expect(answers()).toMatchObject([{ id: 'handshake', error: { code: -32603, message: 'The answer cannot be said in JSON.' } }, { id: 'other' }]);
  });

  it('rejects a message of its own that is no JSON', async () => {
    const { transport } = await connect();
    await expect(transport.send({ jsonrpc: '2.0', method: 'notifications/none', params: { number: 1n } })).rejects.toThrow();
  });

  it('records what the SDK answers by itself before it is answered, also when the input has ended', async () => {
    const written = Promise.withResolvers<void>();
    const refused: string[] = [];
    const record = async (_params: unknown, { code, sentence }: DevsError) => {
      refused.push(code, sentence);
      await written.promise;
    };
    const { transport, input, write, answers } = await connect({ record });
    write(INITIALIZE, call(1));
    await turns(5);
    await transport.send(answer('handshake'));
    input.end();
    let isIdle = false;
    const idle = transport.idle().then(() => (isIdle = true));
    const sent = transport.send({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'why "so"?' } });
    await turns(20);
    expect([isIdle, answers().length]).toEqual([false, 1]);
    written.resolve();
    await Promise.all([sent, idle]);
    await transport.close();
    expect(answers()).toMatchObject([{ id: 'handshake' }, { id: 1, error: { code: -32603 } }]);
    expect(refused).toEqual(['MESSAGE_REFUSED', String.raw`The message was refused: "why \"so\"?".`]);
  });

  it('records the calls that nobody took, once, and only those', async () => {
    const { transport, write, refused, delivered } = await connect();
    write(INITIALIZE, call('taken'), call('dropped'));
    await until(() => delivered.length === 3);
    transport.arrivals.take('taken');
    await transport.close();
    await transport.close();
    await transport.ended;
    expect(refused).toMatchObject([{ code: 'CALL_CANCELLED' }]);
  });

  it.each([
    ['breaks', (output: Writable) => output.destroy(new Error('EPIPE'))],
    ['is closed', (output: Writable) => output.destroy()],
  ])('ends when the output %s', async (_name, destroy) => {
    const { transport, output, write, refused } = await connect();
    write(INITIALIZE, call(1));
    await turns(5);
    const idle = transport.idle();
    destroy(output);
    await Promise.all([transport.ended, transport.inputEnded, idle, transport.idle()]);
    await transport.send(answer(1));
    expect(refused).toMatchObject([{ code: 'CALL_CANCELLED' }]);
  });

  it('ends when a write fails and the output says no more', async () => {
    const output = new Writable({ autoDestroy: false, write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const { transport, write, refused } = await connect({ output });
    write(INITIALIZE, call(1));
    await turns(5);
    await transport.send(answer('handshake'));
    await transport.ended;
    expect(refused).toMatchObject([{ code: 'CALL_CANCELLED' }]);
  });

  it('waits for the client to read, and no longer than the connection lasts', async () => {
    const output = new Writable({ highWaterMark: 1, write: () => undefined });
    const { transport, input } = await connect({ output });
    await transport.untilRead();
    await transport.send(answer(1, { text: 'x'.repeat(2 * 1024 * 1024) }));
    let waited = 0;
    const waiting = Array.from({ length: 100 }, async () => {
      await transport.untilRead();
      waited += 1;
    });
    input.write('\n');
    await turns(20);
    expect([waited, input.isPaused()]).toEqual([0, true]);
    await transport.close();
    await Promise.all(waiting);
    expect(output.listenerCount('drain')).toBe(0);
  });

  it('counts the bytes of the calls that it records', async () => {
    const written = Promise.withResolvers<void>();
    const { input, write, answers } = await connect({ record: async () => written.promise });
    for (let count = 0; count < 2; count += 1) write(call(count, { arguments: { text: 'x'.repeat(9_000) } }));
    await turns(5);
    expect(input.isPaused()).toBe(false);
    write(call(2, { arguments: { text: 'x'.repeat(9_000) } }));
    await turns(5);
    expect([input.isPaused(), answers().length]).toEqual([true, 0]);
    written.resolve();
    await until(() => answers().length === 3);
    expect(input.isPaused()).toBe(false);
  });

  it('says nothing twice to a client that reads slowly', async () => {
    const chunks: string[] = [];
    const output = new Writable({
      highWaterMark: 1,
      write: (chunk, _encoding, done) => {
        chunks.push(String(chunk));
        setImmediate(done);
      },
    });
    const { transport } = await connect({ output });
    for (let id = 0; id < 200; id += 1) await transport.send(answer(id));
    await until(() => chunks.length === 200);
    await turns(5);
    expect(chunks.map((chunk) => (JSON.parse(chunk) as { id: number }).id)).toEqual(Array.from({ length: 200 }, (_, id) => id));
  });
});
