import { describe, expect, it, jest } from '@jest/globals';
import { callOf, echoCall, expectAlive, headersOf, MODERN, openWire, startHttp, textOf, turns, type Asked, type Era, type Reply, type Served } from './http-wire.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];
const MIB = 1024 * 1024;

/** A message as text, where `JSON.stringify` could not say it. `META` stands for what the era wants in `_meta`. */
function raw(era: Era, body: string, name = 'echo'): Asked {
  const meta = era === 'modern' ? JSON.stringify(MODERN).slice(1, -1) : '"x":1';
  return { headers: headersOf(era, { method: 'tools/call', name }), body: body.replaceAll('META', meta) };
}

async function ask(served: Served, asked: Asked): Promise<Reply> {
  using wire = openWire(served);
  return await wire.ask(asked);
}

describe('messages over HTTP', () => {
  it.each<[string, string | Buffer, object]>([
    ['nothing', '', { id: null, error: { code: -32_700 } }],
    ['what is not JSON', '{"jsonrpc":"2.0","id":1,', { id: null, error: { code: -32_700 } }],
    ['more behind the message', '{"jsonrpc":"2.0","id":1,"method":"ping"} {}', { id: null, error: { code: -32_700 } }],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"jsonrpc":"2.0","id":8,"method":"ping","x":"'), 0xff, 0x22, 0x7d]), { id: 8, error: { code: -32_700 } }],
    ['text', '"hello"', { id: null, error: { code: -32_600 } }],
    ['null', 'null', { id: null, error: { code: -32_600 } }],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', { id: 1, error: { code: -32_600 } }],
    ['no method', '{"jsonrpc":"2.0","id":1}', { id: 1, error: { code: -32_600 } }],
    ['the id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', { id: null, error: { code: -32_600 } }],
    ['an object for an id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', { id: null, error: { code: -32_600 } }],
    ['a fraction for an id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', { id: null, error: { code: -32_600 } }],
    ['an id past 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', { id: null, error: { code: -32_600 } }],
    ['an empty batch', '[]', { id: null, error: { code: -32_600 } }],
    ['an answer without an id', '{"jsonrpc":"2.0","result":{}}', { id: null, error: { code: -32_600 } }],
    ['a prototype beside the method', '{"jsonrpc":"2.0","id":1,"method":"tools/list","__proto__":{}}', { id: 1, error: { code: -32_600 } }],
    ['a prototype in parameters', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{}}}', { id: 1, error: { code: -32_602 } }],
    ['parameters that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}', { id: 1, error: { code: -32_602 } }],
    ['nesting that overflows', `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`, { id: 1, error: { code: -32_602 } }],
  ])('refuses %s with 400, and goes on on the same connection', async (_name, body, message) => {
    await using served = await startHttp();
    using wire = openWire(served);
    expect(await wire.ask({ body })).toMatchObject({ status: 400, message: { jsonrpc: '2.0', ...message } });
    expect(textOf(await wire.ask(echoCall('modern')))).toBe('hello');
    expect(served.records).toHaveLength(1);
  });

  it.each(ERAS.flatMap((era) => [
    [era, 'the arguments', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","__proto__":{"admin":true}},"_meta":{META}}}', 'TOOL_ARG_VALIDATION_FAILURE'],
    [era, 'the depth of the arguments', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":[{"a":{"__proto__":1}}]},"_meta":{META}}}', 'TOOL_ARG_VALIDATION_FAILURE'],
    [era, 'the parameters', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"__proto__":{},"_meta":{META}}}', 'MESSAGE_REFUSED'],
    [era, '_meta', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"_meta":{META,"__proto__":{}}}}', 'MESSAGE_REFUSED'],
    [era, 'the claims', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"_meta":{META,"devs/context":{"__proto__":{}}}}}', 'MESSAGE_REFUSED'],
    [era, 'the message', '{"jsonrpc":"2.0","id":5,"__proto__":{},"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"_meta":{META}}}', 'MESSAGE_REFUSED'],
  ] as const))('%s: refuses and records a call with a prototype in %s', async (era, _name, body, code) => {
    await using served = await startHttp();
    const reply = await ask(served, raw(era, body));
    expect(reply).toMatchObject({ status: 200, message: { id: 5, result: { isError: true, _meta: { 'devs/refusal': { code } } } } });
    expect(served.records).toMatchObject([{ toolName: 'echo', channel: 'http', principal: 'token', status: 'denied', code }]);
    expect(served.started).toHaveLength(0);
    await expectAlive(served);
  });

  it.each(ERAS.flatMap((era) => [
    [era, 'null', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":null,"_meta":{META}}}'],
    [era, 'a list', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":["a"],"_meta":{META}}}'],
    [era, 'text', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":"text","_meta":{META}}}'],
    [era, 'of a wrong type', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":7},"_meta":{META}}}'],
    [era, 'a number past 2^53', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":9007199254740993},"_meta":{META}}}'],
    [era, 'nested too deep', `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":${'['.repeat(500)}${']'.repeat(500)}},"_meta":{META}}}`],
  ] as const))('%s: answers and records arguments that are %s', async (era, _name, body) => {
    await using served = await startHttp();
    const reply = await ask(served, raw(era, body));
    expect(reply).toMatchObject({ message: { id: 5, result: { isError: true, _meta: { 'devs/refusal': { code: 'TOOL_ARG_VALIDATION_FAILURE' } } } } });
    expect(served.records).toMatchObject([{ status: 'denied', code: 'TOOL_ARG_VALIDATION_FAILURE' }]);
    await expectAlive(served);
  });

  it.each(ERAS)('%s: refuses and records what the SDK could not read, in the form of an answer to a call', async (era) => {
    await using served = await startHttp();
    const body = '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"_meta":{META,"progressToken":{}}}}';
    const refused = { result: { isError: true, _meta: { 'devs/refusal': { code: 'MESSAGE_REFUSED' } } } };
    expect(await ask(served, raw(era, body))).toMatchObject({ status: 200, message: { id: 5, ...refused } });
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_REFUSED' }]);
  });

  it('takes the last of two members of one name, in the check and in the call', async () => {
    await using served = await startHttp();
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","name":"echo","arguments":{"text":"first"},"arguments":{"text":"last"},"_meta":{META}}}';
    expect(textOf(await ask(served, raw('modern', body)))).toBe('last');
    expect(served.records).toMatchObject([{ toolName: 'echo' }]);
  });

  it.each<[string, string]>([
    ['of one id', '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}},{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later"}}]'],
    ['of ids that are none', '[{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"echo"}},7,{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"later"}}]'],
    ['with a prototype', '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","__proto__":{}}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"later"}}]'],
  ])('refuses a batch %s, and records each call of it', async (_name, body) => {
    await using served = await startHttp();
    expect(await ask(served, { body })).toMatchObject({ status: 400, message: { id: null, error: { code: -32_600 } } });
    expect(served.records.map(({ toolName, code }) => [toolName, code])).toEqual([['echo', 'MESSAGE_REFUSED'], ['later', 'MESSAGE_REFUSED']]);
    expect(served.started).toHaveLength(0);
    await expectAlive(served);
  });

  it('refuses and records a call that asks for no answer', async () => {
    await using served = await startHttp();
    const body = '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}';
    expect(await ask(served, { body })).toMatchObject({ status: 400 });
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_REFUSED' }]);
    expect(served.started).toHaveLength(0);
  });

  const call = callOf('modern', { name: 'echo', args: { text: 'a' } });
  it.each<[string, Asked, number]>([
    ['names another tool in Mcp-Name', { ...call, headers: { ...call.headers, 'mcp-name': 'wait' } }, -32_020],
    ['names no tool in Mcp-Name', { ...call, headers: { ...call.headers, 'mcp-name': undefined } }, -32_020],
    ['names another method in Mcp-Method', { ...call, headers: { ...call.headers, 'mcp-method': 'tools/list' } }, -32_020],
    ['names another version in the header', { ...call, headers: { ...call.headers, 'mcp-protocol-version': '2025-11-25' } }, -32_020],
    ['names no version in the header', { ...call, headers: { ...call.headers, 'mcp-protocol-version': undefined } }, -32_020],
    ['names a version that does not exist', { headers: { ...call.headers, 'mcp-protocol-version': '1900-01-01' }, body: String(call.body).replace('2026-07-28', '1900-01-01') }, -32_022],
    ['lacks what its version needs', { ...call, body: String(call.body).replace('clientCapabilities', 'other') }, -32_602],
    ['claims a version in its header alone', { ...call, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'a' } } }) }, -32_602],
    ['belongs to no session', { headers: { 'mcp-session-id': undefined }, body: String(echoCall('legacy').body) }, -32_050],
    ['is of an older version that does not exist', { headers: { 'mcp-protocol-version': '1900-01-01' }, body: String(echoCall('legacy').body) }, -32_050],
    ['takes no stream for an answer', { ...echoCall('legacy'), headers: { ...echoCall('legacy').headers, accept: 'application/json' } }, -32_050],
  ])('records a call that the SDK turns away since it %s', async (_name, asked, code) => {
    await using served = await startHttp();
    const reply = await ask(served, asked);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(reply.message).toMatchObject({ jsonrpc: '2.0', error: { code } });
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_REFUSED', status: 'denied' }]);
    expect(served.started).toHaveLength(0);
    await expectAlive(served);
  });

  it('has the record before the answer leaves', async () => {
    await using served = await startHttp();
    const record = served.server.recordRefusal.bind(served.server);
    jest.spyOn(served.server, 'recordRefusal').mockImplementation(async (...refused) => {
      await turns(50);
      await record(...refused);
    });
    const seen: number[] = [];
    for (const body of ['[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}]', String(call.body)]) {
      using wire = openWire(served);
      wire.socket.once('data', () => seen.push(served.records.length));
      await wire.ask({ headers: { 'mcp-protocol-version': '2026-07-28' }, body });
    }
    expect(seen).toEqual([1, 2]);
  });

  it.each([['legacy', 200], ['modern', 404]] as const)('%s: answers a method that it does not have with %d', async (era, status) => {
    await using served = await startHttp();
    const params = era === 'modern' ? { _meta: MODERN } : {};
    const asked = { headers: headersOf(era, { method: 'acme/x' }), body: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'acme/x', params }) };
    expect(await ask(served, asked)).toMatchObject({ status, message: { id: 3, error: { code: -32_601 } } });
    expect(served.records).toHaveLength(0);
  });

  it('takes notifications and answers without a word', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    for (const body of ['{"jsonrpc":"2.0","method":"notifications/initialized"}', '{"jsonrpc":"2.0","id":1,"result":{}}']) {
      expect(await wire.ask({ headers: { 'mcp-protocol-version': '2025-11-25' }, body })).toMatchObject({ status: 202, body: '' });
    }
  });
});

describe('the size of messages over HTTP', () => {
  const tooLong = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"${'x'.repeat(33 * MIB)}"}}}`;

  it('refuses 33 MiB that are announced, looks at their beginning, and records the call', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    wire.write(wire.head({ headers: { 'content-length': String(tooLong.length) } })).write(tooLong.slice(0, 64 * 1024));
    const reply = await wire.reply();
    expect(reply).toMatchObject({ status: 413, message: { id: 7, error: { code: -32_600 } } });
    expect(reply.message['error']).toMatchObject({ message: `The message is ${tooLong.length} bytes long; at most 33554432 are accepted. Send less at once.` });
    expect(reply.headers.get('connection')).toBe('close');
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_TOO_LARGE', status: 'denied' }]);
    await wire.closed();
    await expectAlive(served);
  });

  it('answers a client that goes on sending 33 MiB, and reads no further', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    expect(await wire.ask({ body: tooLong })).toMatchObject({ status: 413, message: { id: 7 } });
    await wire.closed();
    expect(wire.socket.bytesWritten).toBeGreaterThan(64 * 1024);
    expect(served.records).toMatchObject([{ code: 'MESSAGE_TOO_LARGE' }]);
  });

  it('leaves a client that is refused the time to read it, until it hangs up', async () => {
    await using served = await startHttp({ lingerMs: 8_000 });
    using wire = openWire(served);
    expect(await wire.ask({ body: tooLong })).toMatchObject({ status: 413 });
    await turns(20);
    expect(wire.isClosed).toBe(false);
    expect(wire.socket.writableLength).toBeGreaterThan(0);
  });

  it('refuses 33 MiB in chunks once they pass 32', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    wire.write(wire.head({ raw: ['transfer-encoding: chunked'] }));
    for (let at = 0; at < tooLong.length; at += MIB) {
      const piece = tooLong.slice(at, at + MIB);
      wire.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    expect(await wire.reply()).toMatchObject({ status: 413, message: { id: 7, error: { message: 'The message is longer than 33554432 bytes. Send less at once.' } } });
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_TOO_LARGE' }]);
    await expectAlive(served);
  });

  it('does not ask for a body that is announced as too large', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    wire.write(wire.head({ headers: { 'content-length': String(tooLong.length), expect: '100-continue' } }));
    expect(await wire.reply()).toMatchObject({ status: 413, message: { id: null } });
    await wire.closed();
    expect(wire.received).toBe('');
  });

  it.each(ERAS)('%s: serves 30 MiB', async (era) => {
    await using served = await startHttp();
    const reply = await ask(served, callOf(era, { name: 'later', args: { text: 'x'.repeat(30 * MIB) } }));
    expect(textOf(reply)).toBe('late');
    expect(served.records).toMatchObject([{ toolName: 'later', status: 'ok' }]);
  });

  it.each<[string, number, number, string]>([
    ['50,001', 50_001, 200, 'MESSAGE_REFUSED'],
    ['200,001, which are more than 1 MiB', 200_001, 413, 'MESSAGE_TOO_LARGE'],
  ])('refuses %s members of objects, which cost whoever looks at them', async (_name, count, status, code) => {
    await using served = await startHttp();
    const members = Array.from({ length: count }, (_, index) => `"k${String(index)}":1`).join();
    const body = (own: string) => `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x","list":[{${own}}]}}}`;
    const reply = await ask(served, { headers: headersOf('legacy', { method: 'tools/call' }), body: body(members) });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatch(/hold(s)? more than (50|200)000 members of objects/);
    expect(served.records).toMatchObject([{ toolName: 'echo', code }]);
    expect(served.started).toEqual([]);
    await expectAlive(served);
  });

  it('refuses more than a million values, whatever their bytes', async () => {
    await using served = await startHttp();
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":[${'[],'.repeat(1_000_000)}1]}}}`;
    const reply = await ask(served, { body });
    expect(reply).toMatchObject({ status: 413, message: { id: 7, error: { message: 'The message holds more than 1000000 values. Send less at once.' } } });
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_TOO_LARGE' }]);
    await expectAlive(served);
  });

  it.each(ERAS)('%s: serves a message that comes in chunks of one byte', async (era) => {
    await using served = await startHttp();
    using wire = openWire(served);
    const { headers = {}, body = '' } = echoCall(era, 'x'.repeat(20_000));
    wire.write(wire.head({ headers, raw: ['transfer-encoding: chunked'] }));
    wire.write(String(body).replaceAll(/./gs, '1\r\n$&\r\n')).write('0\r\n\r\n');
    expect(textOf(await wire.reply())).toBe('x'.repeat(20_000));
  });

  it('refuses a message whose length is too small, and what is left of it', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    const asked = echoCall('modern');
    wire.send({ ...asked, headers: { ...asked.headers, 'content-length': '20' } });
    expect(await wire.reply()).toMatchObject({ status: 400, message: { id: null } });
    await wire.closed();
    expect(served.records).toHaveLength(0);
    await expectAlive(served);
  });

  it('records and answers a call that cannot be handed to the SDK', async () => {
    await using served = await startHttp();
    using wire = openWire(served);
    const { Request } = globalThis;
    const Broken = class {
      constructor() {
        throw new Error('no request can be made of it');
      }
    };
    try {
      Object.assign(globalThis, { Request: Broken });
      expect(await wire.ask(echoCall('modern'))).toMatchObject({ status: 503 });
    } finally {
      Object.assign(globalThis, { Request });
    }
    expect(served.records).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_REFUSED', status: 'denied' }]);
  });
});
