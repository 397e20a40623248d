import { describe, expect, it } from '@jest/globals';
import { chooseTransport, createUpstream } from '../create-upstream.ts';
import { HttpTransport } from '../http/http-transport.ts';
import { CircuitBreaker } from '../protocol/circuit-breaker.ts';
import { BackOff } from '../protocol/timers.ts';
import type { Greeter } from '../protocol/upstream-transport.ts';
import { StdioTransport } from '../stdio/stdio-transport.ts';
import { CLIENT, createClock } from './connection-scene.ts';

const client = { info: CLIENT, onEvent: () => undefined, ask: async () => ({}) };
const choice = (config: object) => ({ config: { name: 'one', ...config }, root: '/project', environment: { PATH: '/bin' } });
const create = (config: object) => createUpstream({ ...choice(config), client });

describe('a server of the configuration', () => {
  it.each<[string, object, unknown]>([
    ['that is a command is started', { command: 'node', args: ['x'] }, StdioTransport],
    ['that is a command is started, whatever url stands beside', { command: 'node', url: 'http://127.0.0.1/' }, StdioTransport],
    ['that is a url is reached', { url: 'https://example.com/mcp', type: 'http' }, HttpTransport],
    ['that is a url without a type is reached', { url: 'http://127.0.0.1:1/mcp' }, HttpTransport],
  ])('%s', (_name, config, kind) => {
    expect(chooseTransport(choice(config))({} as Greeter)).toBeInstanceOf(kind as never);
    expect(create(config).name).toBe('one');
  });

  it.each<[string, object, RegExp]>([
    ['of the old transport', { url: 'https://example.com/sse', type: 'sse' }, /^The server "one" is configured for the transport "sse", which MCP has given up/],
    ['that is nothing', {}, /neither a command nor a url/],
    ['of another scheme', { url: 'file:///etc/passwd' }, /neither a command nor a url of http: or https:/],
    ['whose url is none', { url: 'nowhere' }, /neither a command nor a url/],
  ])('%s is refused', (_name, config, sentence) => {
    expect(() => create(config)).toThrow(expect.objectContaining({ code: 'UPSTREAM_UNAVAILABLE', sentence: expect.stringMatching(sentence) }));
  });
});

describe('waiting', () => {
  it('is shortened by up to a half, so that many do not come back at once', () => {
    for (const [jitter, expected] of [[0, 250], [0.5, 187.5], [1, 125]] as const) expect(new BackOff(() => jitter).delayAfter(0)).toBe(expected);
  });

  it('grows while the breaker is open, to five minutes, and begins anew after a success', () => {
    const clock = createClock();
    const breaker = new CircuitBreaker({ timers: clock.timers, random: () => 0, mostFailures: 2 });
    const waits = () => {
      clock.advance(breaker.waitMs);
      breaker.noteFailure();
      return breaker.waitMs;
    };
    expect(Array.from({ length: 9 }, waits)).toEqual([0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
    breaker.noteSuccess();
    clock.advance(breaker.waitMs);
    expect([waits(), waits()]).toEqual([0, 10_000]);
  });
});
