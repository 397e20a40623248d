import { createServer } from 'node:http';
import { describe, expect, it, jest } from '@jest/globals';
import { listen } from '../../transports/listen.ts';
import { foreignRequest, loopbackOrigin, toLoopbackAddress } from '../loopback.ts';

describe('a request from elsewhere', () => {
  it.each<[string, number, boolean]>([
    ['127.0.0.1:7337', 7337, false],
    ['[::1]:7337', 7337, false],
    ['127.0.0.1', 80, false],
    ['[::1]:80', 80, false],
    // A browser leaves the port out for 80 alone: this is another server of this machine.
    ['127.0.0.1', 7337, true],
    // Two addresses: whoever holds the other one is sent the token.
    ['localhost:7337', 7337, true],
    ['LocalHost', 80, true],
    ['127.0.0.1:80', 7337, true],
    ['localhost:7338', 7337, true],
    ['evil.example:7337', 7337, true],
    ['localhost.evil.example:7337', 7337, true],
    ['127.0.0.1:7337.evil.example', 7337, true],
  ])('with the Host %s at port %i: %s', (host, port, isForeign) => {
    expect(foreignRequest({ host }, port) !== undefined).toBe(isForeign);
  });

  it.each<[string, boolean]>([
    ['http://127.0.0.1:7337', false],
    ['http://[::1]:7337', false],
    ['http://localhost:7337', true],
    ['http://127.0.0.1:3000', true],
    ['https://127.0.0.1:7337', true],
    ['http://127.0.0.1', true],
    ['null', true],
    ['', true],
    ['http://127.0.0.1:7337.evil.example', true],
  ])('with the Origin %j: %s', (origin, isForeign) => {
    expect(foreignRequest({ host: '127.0.0.1:7337', origin }, 7337) !== undefined).toBe(isForeign);
  });
});

describe('the address of a listener', () => {
  // What the name means to the resolver of this machine is not asked.
  it.each(['localhost', '127.0.0.1'])('asked for as %s is bound as a number', async (host) => {
    const server = createServer();
    const listens = jest.spyOn(server, 'listen');
    try {
      const { port, origin } = await listen(server, { host, port: 0 });
      expect(listens.mock.calls).toEqual([[0, '127.0.0.1', expect.any(Function)]]);
      expect(origin).toBe(`http://127.0.0.1:${port}`);
    } finally {
      server.close();
    }
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['localhost', '127.0.0.1'],
    ['LOCALHOST', '127.0.0.1'],
    ['localhost.', undefined],
    ['0.0.0.0', undefined],
    ['::', undefined],
    ['127.0.0.2', undefined],
    ['', undefined],
  ])('%j is held as %s', (host, address) => {
    expect(toLoopbackAddress(host)).toBe(address);
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:7337'],
    ['::1', 'http://[::1]:7337'],
  ])('%s is shown as %s', (address, origin) => {
    expect(loopbackOrigin(address, 7_337)).toBe(origin);
  });

  it.each(['localhost:7337', 'LOCALHOST:7337', 'localhost'])('a client that uses the name %s is told which address to use', (host) => {
    expect(foreignRequest({ host }, 7_337)).toContain('Use http://127.0.0.1:7337 instead of "localhost"');
  });
});
