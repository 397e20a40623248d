import { describe, expect, it } from '@jest/globals';
import { foreignRequest } from '../loopback.ts';

describe('a request from elsewhere', () => {
  it.each<[string, number, boolean]>([
    ['127.0.0.1:7337', 7337, false],
    ['LocalHost:7337', 7337, false],
    ['[::1]:7337', 7337, false],
    ['localhost', 80, false],
    ['localhost:80', 80, false],
    // A browser leaves the port out for 80 alone: this is the name of another server of this machine.
    ['localhost', 7337, true],
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
    ['http://localhost:7337', false],
    ['http://localhost:3000', true],
    ['https://localhost:7337', true],
    ['http://localhost', true],
    ['null', true],
    ['', true],
    ['http://localhost:7337.evil.example', true],
  ])('with the Origin %j: %s', (origin, isForeign) => {
    expect(foreignRequest({ host: 'localhost:7337', origin }, 7337) !== undefined).toBe(isForeign);
  });
});
