import { describe, expect, it } from '@jest/globals';
import { DevsError } from '@devs/core';
import type { ClientInfo } from '../client-info.ts';
import { call, codeOf, INITIALIZE, MODERN, open, turns, until } from './stdio-scene.ts';

const modern = (id: unknown) => call(id, { _meta: MODERN });
const discover = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'server/discover', params: { _meta: MODERN } });

/** An opening that ends when the test says so. */
function createOpening() {
  const heard: ClientInfo[] = [];
  const gate = Promise.withResolvers<void>();
  const opening = async (info: ClientInfo) => {
    heard.push(info);
    await gate.promise;
  };
  return { heard, opening, finish: gate.resolve, fail: gate.reject };
}

describe('what must be ready before anything is served', () => {
  it.each([
    ['a handshake', INITIALIZE, [call(1), call(2)]],
    ['asking what there is, twice', discover('handshake'), [discover(1), modern(2)]],
    ['a modern call', modern('handshake'), [modern(1), modern(2)]],
  ])('is asked for once, and everything waits in order: %s', async (_name, first, rest) => {
    const { opening, heard, finish } = createOpening();
    const session = open({ opening });
    session.write(first, ...rest);
    await turns(20);
    expect([heard.length, session.messages().length, session.started.length]).toEqual([1, 0, 0]);
    finish();
    const answers = await session.end();
    expect(answers.map(codeOf)).toEqual(['ok', 'ok', 'ok']);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(3);
    expect(heard).toHaveLength(1);
  });

  it.each([
    ['in devs’s own words', new DevsError('UPSTREAM_UNAVAILABLE'), 'UPSTREAM_UNAVAILABLE', 'The server of this tool is not running; devs is starting it again.'],
    ['in words that nobody may see', new Error('secret'), 'INTERNAL_ERROR', 'The connection cannot be served.'],
  ])('may fail: whoever asked is told, and the calls are in the log: %s', async (_name, cause, code, message) => {
    const { opening, fail } = createOpening();
    const session = open({ opening });
    session.write(modern(1), { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: MODERN } }, modern('a'));
    await turns(20);
    fail(cause);
    await session.running.closed;
    expect(session.answers().map(({ id }) => String(id)).toSorted()).toEqual(['1', '2', 'a']);
    expect(session.answers()).toMatchObject([1, 2, 3].map(() => ({ error: { code: -32603, message } })));
    expect(session.records).toMatchObject([{ toolName: 'echo', code }, { toolName: 'echo', code }]);
    expect(session.started).toHaveLength(0);
  });

  it('may fail at once', async () => {
    const session = open({
      opening: () => {
        throw new Error('no promise at all');
      },
    });
    session.write(modern(1));
    await session.running.closed;
    expect(session.under(1).map(codeOf)).toEqual([-32603]);
    expect(session.records).toHaveLength(1);
  });

  it('may never end: the calls that waited are in the log when the input has ended', async () => {
    const { opening } = createOpening();
    const session = open({ opening });
    await session.end(modern(1), JSON.stringify(modern(2)).replace('"hi"', '{"__proto__":1}'));
    expect(session.records.map(({ toolName, code }) => [toolName, code])).toEqual([
      ['echo', 'CALL_CANCELLED'],
      ['echo', 'TOOL_ARG_VALIDATION_FAILURE'],
    ]);
    expect(session.started).toHaveLength(0);
  });

  it('may end after the connection: nothing is served then', async () => {
    const { opening, finish } = createOpening();
    const session = open({ opening });
    await session.end(modern(1));
    finish();
    await turns(20);
    expect([session.records.length, session.started.length]).toEqual([1, 0]);
  });

  it('keeps no more than a mebibyte of messages waiting', async () => {
    const { opening, finish } = createOpening();
    const session = open({ opening });
    const noise = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/none', params: { text: 'x'.repeat(10_000) } })}\n`;
    session.write(modern(1));
    let sent = 0;
    for (; sent < 1_000 && !session.input.isPaused(); sent += 1) {
      session.input.write(noise);
      await turns(1);
    }
    expect(sent).toBeLessThan(200);
    finish();
    await until(() => session.under(1).length === 1);
    const answers = await session.end(modern(2));
    expect(answers.map(codeOf)).toEqual(['ok', 'ok']);
  });
});
