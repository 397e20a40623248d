import { describe, expect, it } from '@jest/globals';
import { call, codeOf, INITIALIZE, MODERN, open, turns, until } from './stdio-scene.ts';

const MEBIBYTE = 1024 * 1024;
const raw = (params: string, id = '1') => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
const modern = (id: unknown, meta: object = {}) => call(id, { _meta: { ...MODERN, ...meta } });
const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted();
const oversized = (text: string) => text.replace('?', 'x'.repeat(2_000));

describe('a message that is no good, over stdio', () => {
  it.each([
    ['no JSON', '{"id":1,', -32700, null],
    ['nothing but a word', 'hello', -32700, null],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, 1],
    ['an empty batch', '[]', -32600, null],
    ['a string', '"a"', -32600, null],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1}', -32600, 1],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['an id that is a fraction', '{"jsonrpc":"2.0","id":0.5,"method":"ping"}', -32600, null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['an id past 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600, null],
    ['an id that is too long', `{"jsonrpc":"2.0","id":"${'i'.repeat(1_025)}","method":"ping"}`, -32600, null],
    ['a list with a prototype', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{}}}', -32602, 1],
    ['a list with a task that is a number', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/related-task":5}}}', -32602, 1],
    ['a modern request on a connection with a handshake', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: MODERN } }), -32022, 1],
    ['a second handshake', JSON.stringify({ ...INITIALIZE, id: 1 }), -32600, 1],
    ['too large, a list', oversized('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"?"}}'), -32600, 1],
    ['too large, with its id at the end', oversized('{"jsonrpc":"2.0","method":"tools/list","params":{"cursor":"?"},"id":1}'), -32600, 1],
    ['too large, a method', oversized('{"jsonrpc":"2.0","id":1,"method":"?"}'), -32600, 1],
    ['too large, an id', oversized('{"jsonrpc":"2.0","id":"?","method":"ping"}'), -32600, null],
    ['too large, no JSON', 'x'.repeat(2_000), -32600, null],
  ])('is answered once, and the next one is served: %s', async (_name, line, code, id) => {
    const session = open({ maxMessageBytes: 1_500 });
    const answers = await session.end(INITIALIZE, line, call('next'));
    expect(sorted(answers.map((answer) => [answer['id'], codeOf(answer)]))).toEqual(sorted([['handshake', 'ok'], ['next', 'ok'], [id, code]]));
    expect(session.records).toHaveLength(1);
  });

  it.each([
    ['a prototype', raw('{"name":"echo","arguments":{"text":{"__proto__":1}}}'), 'TOOL_ARG_VALIDATION_FAILURE'],
    ['a prototype in _meta', raw('{"name":"echo","_meta":{"__proto__":{}}}'), 'MESSAGE_REFUSED'],
    ['a prototype beside the method', raw('{"name":"echo"},"__proto__":{}'), 'MESSAGE_REFUSED'],
    ['a progress token that is an object', raw('{"name":"echo","_meta":{"progressToken":{}}}'), 'MESSAGE_REFUSED'],
    ['a task that is a number', raw('{"name":"echo","_meta":{"io.modelcontextprotocol/related-task":5}}'), 'MESSAGE_REFUSED'],
    ['a number past 2^53', raw('{"name":"echo","arguments":{"text":9007199254740993}}'), 'TOOL_ARG_VALIDATION_FAILURE'],
    ['numbers past 2^53 and past the range', raw(`{"name":"echo","arguments":{"text":[9007199254740993,${'9'.repeat(400)}]}}`), 'TOOL_ARG_VALIDATION_FAILURE'],
    ['400,000 levels', raw(`{"name":"echo","arguments":${'['.repeat(400_000)}${']'.repeat(400_000)}}`), 'TOOL_ARG_VALIDATION_FAILURE'],
    ['too many bytes', raw(`{"name":"echo","arguments":{"text":"${'x'.repeat(MEBIBYTE)}"}}`), 'MESSAGE_TOO_LARGE'],
    ['too many bytes, its id at the end', `{"jsonrpc":"2.0","params":{"arguments":{"text":"${'x'.repeat(MEBIBYTE)}"},"name":"echo"},"method":"tools/call","id":1}`, 'MESSAGE_TOO_LARGE'],
  ])('is a refused call, in the log by its name, in either generation: %s', async (_name, line, code) => {
    const legacy = open({ maxMessageBytes: MEBIBYTE });
    await legacy.end(INITIALIZE, line, call('next'));
    expect(codeOf(legacy.under(1)[0])).toBe(code);
    expect(legacy.under(1)[0]).not.toHaveProperty('result.resultType');
    const newer = open({ maxMessageBytes: MEBIBYTE });
    const named = line.replace('"name":"echo"', `"name":"echo","_meta":${JSON.stringify(MODERN)}`);
    await newer.end(modern('first'), line.includes('_meta') ? line.replace('"_meta":{', `"_meta":{${JSON.stringify(MODERN).slice(1, -1)},`) : named, modern('next'));
    expect(newer.under(1)).toHaveLength(1);
    if (!line.includes('progressToken') && !line.includes('related-task')) {
      expect(newer.under(1)[0]).toMatchObject({ result: { resultType: 'complete', isError: true, _meta: { 'devs/refusal': { code } } } });
    }
    for (const session of [legacy, newer]) {
      expect(session.under('next').map(codeOf)).toEqual(['ok']);
      expect(session.records.filter(({ status }) => status === 'denied')).toMatchObject([{ toolName: 'echo' }]);
    }
  });

  it.each([
    ['before the handshake', [call(1)], -32600],
    ['after a handshake that was refused', [{ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities: { sampling: 5 } } }, call(1)], -32600],
    ['of a version that does not exist', [modern('first'), modern(1, { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' })], -32022],
    ['without a version', [modern('first'), call(1)], -32602],
    ['without an id', [INITIALIZE, '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}'], -32600],
    ['with an id that is null', [INITIALIZE, call(null)], -32600],
    ['in a batch', [INITIALIZE, JSON.stringify([call(1)])], -32600],
    ['in a batch that is not UTF-8', [INITIALIZE, '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","a":"\u{dfff}"}}]'], -32600],
    ['that is a modern one, first, with a client without a name', [modern(1, { 'io.modelcontextprotocol/clientInfo': {} })], -32602],
  ])('is a call that is not served, and in the log before it is answered: %s', async (_name, lines, code) => {
    const session = open();
    const answers = await session.end(...lines);
    expect(answers.map(codeOf)).toContain(code);
    expect(session.records.filter(({ status }) => status === 'denied')).toMatchObject([{ toolName: 'echo', code: 'MESSAGE_REFUSED' }]);
  });

  it('lets the SDK and the guard agree on what is spoken', async () => {
    const session = open();
    await session.end(modern(1, { 'io.modelcontextprotocol/clientInfo': {} }), INITIALIZE, call(2), modern(3));
    expect([1, 'handshake', 2, 3].map((id) => session.under(id).map(codeOf))).toEqual([[-32602], ['ok'], ['ok'], [-32022]]);
  });

  it('is not committed to a generation by what asks for nothing', async () => {
    const session = open();
    await session.end({ jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 1, result: {} }, modern(2));
    expect(session.answers()).toMatchObject([{ id: 1, result: {} }, { id: 2, result: { resultType: 'complete' } }]);
  });

  it('serves what has a member that JSON-RPC does not know', async () => {
    const session = open();
    await session.end(INITIALIZE, { ...call(1), more: 1 }, { jsonrpc: '2.0', id: 2, method: 'tools/list', more: 1 });
    expect([1, 2].map((id) => session.under(id).map(codeOf))).toEqual([['ok'], ['ok']]);
  });
});

describe('ids over stdio', () => {
  it('tells 1 from "1"', async () => {
    const session = open();
    session.write(INITIALIZE, call(1, { name: 'wait' }), call('1'));
    await until(() => session.under('1').length > 0);
    expect(codeOf(session.under('1')[0])).toBe('ok');
    await session.end({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '1' } });
    expect(session.records.map(({ code }) => code)).toEqual([null, 'CALL_CANCELLED']);
  });

  it.each([
    ['a call', call(1)],
    ['a list', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ['a list that is no good', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }],
    ['a batch', JSON.stringify([call(1)])],
    ['a call that is too large', JSON.stringify(call(1, { arguments: { text: 'x'.repeat(2_000) } }))],
  ])('answers nothing else under the id of a call that runs: %s', async (_name, line) => {
    const session = open({ maxMessageBytes: 1_000, graceMs: 60_000 });
    await session.end(INITIALIZE, call(1, { name: 'later' }), line);
    expect(session.under(1)).toMatchObject([{ result: { content: [{ text: 'late' }] } }]);
    expect(session.under(null)).toHaveLength(1);
  });

  it('answers nothing else under the id of a subscription', async () => {
    const session = open();
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: MODERN } };
    await session.end(listen, modern(1), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, modern(1));
    expect(session.under(null).map(codeOf)).toEqual([-32600]);
    expect(session.under(1).map(codeOf)).toEqual(['ok']);
    expect(session.records).toHaveLength(2);
  });
});

describe('floods over stdio', () => {
  it('answers 10,000 small requests that do not wait', async () => {
    const session = open({ graceMs: 60_000 });
    session.write(INITIALIZE);
    const calls = Array.from({ length: 10_000 }, (_, id) => JSON.stringify(call(id)));
    session.input.write(`${calls.join('\n')}\n`);
    const answers = await session.end();
    expect(new Set(answers.map(({ id }) => id)).size).toBe(10_001);
    expect(answers).toHaveLength(10_001);
    expect(session.records).toHaveLength(10_000);
  });

  it('bounds subscriptions', async () => {
    const session = open();
    const listen = (id: number) => ({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: MODERN } });
    await session.end(...Array.from({ length: 1_100 }, (_, id) => listen(id)), modern('next'));
    expect(session.answers().map(codeOf).filter((code) => code !== 'ok')).toHaveLength(76);
    expect(session.under('next').map(codeOf)).toEqual(['ok']);
  });

  it('is not stopped by notifications and answers that nobody asked for', async () => {
    const session = open();
    const noise = Array.from({ length: 500 }, (_, id) => [
      { jsonrpc: '2.0', method: 'notifications/none', params: { id } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 5 } },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id } },
      { jsonrpc: '2.0', id, result: {} },
      { jsonrpc: '2.0', id, error: { code: 1 } },
    ]).flat();
    const answers = await session.end(...noise, INITIALIZE, ...noise, call('next'));
    expect(answers.map(({ id }) => id)).toEqual(['handshake', 'next']);
  });

  it('reads no more while 1,024 requests are open, and logs them all when the client breaks the pipe', async () => {
    const session = open();
    session.write(INITIALIZE);
    for (let id = 0; id < 3_000; id += 1) session.write(call(id, { name: 'wait' }));
    await turns(100);
    expect(session.server.inFlight).toBeLessThan(1_100);
    expect(session.input.isPaused()).toBe(true);
    session.output.destroy();
    await session.running.closed;
    expect(session.records.map(({ code }) => code)).toEqual(session.records.map(() => 'CALL_CANCELLED'));
  });
});

describe('a stop', () => {
  it('does not wait for a client that reads nothing: its calls are cancelled, and in the log', async () => {
    const session = open();
    session.write(INITIALIZE);
    await until(() => session.answers().length === 1);
    session.output.removeAllListeners('data').pause();
    for (let id = 0; id < 200; id += 1) session.write(call(id, { arguments: { text: 'x'.repeat(100_000) } }));
    await until(() => session.output.writableLength > MEBIBYTE && session.server.inFlight > 0);
    await session.running.close();
    const codes = session.records.map(({ code }) => code);
    expect(codes).toContain('CALL_CANCELLED');
    expect(codes.filter((code) => code !== null && code !== 'CALL_CANCELLED')).toEqual([]);
    expect(session.server.inFlight).toBe(0);
  });
});

describe('the end of the input', () => {
  it.each([
    ['half a message', '{"jsonrpc":"2.0","id":1,"meth', [-32700]],
    ['a message without a line feed', JSON.stringify(call(1)), ['ok']],
    ['nothing', '', []],
  ])('comes after %s', async (_name, text, codes) => {
    const session = open();
    session.write(INITIALIZE);
    session.input.write(text);
    await turns(20);
    expect(session.answers()).toHaveLength(1);
    const answers = await session.end();
    expect(answers.slice(1).map(codeOf)).toEqual(codes);
  });
});

describe('a handshake', () => {
  it('cannot be cancelled: it is answered, and its id is not free', async () => {
    const session = open();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: INITIALIZE.id } };
    // In one piece, so that nothing is answered in between.
    const lines = [INITIALIZE, cancel, call(INITIALIZE.id), call(2)].map((line) => JSON.stringify(line));
    const answers = await session.end(lines.join('\n'));
    expect(session.under(INITIALIZE.id)).toMatchObject([{ result: { protocolVersion: '2025-11-25' } }]);
    expect(answers).toHaveLength(3);
    expect(session.records.map(({ code }) => code)).toEqual(expect.arrayContaining(['MESSAGE_REFUSED']));
  });
});
