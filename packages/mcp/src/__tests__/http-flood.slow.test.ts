import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { echoCall, openWire, startHttp, textOf, until, type Served } from './http-wire.ts';

const HALF = 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ';

/** Connections that say a little, or nothing, and never end; gone when disposed. */
class Flood implements Disposable {
  readonly #sockets: Socket[] = [];
  closed = 0;

  async add(served: Served, count: number): Promise<void> {
    const opened = Array.from({ length: count }, async (_, index) => {
      const socket = connect(served.port, '127.0.0.1');
      this.#sockets.push(socket);
      socket.on('error', () => undefined).once('close', () => (this.closed += 1)).resume();
      // Each other one is a slow-loris.
      if (index % 2 === 0) socket.write(HALF);
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    });
    await Promise.all(opened);
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('ten thousand connections', () => {
  it('hold no more than their places, and keep out nobody who has a token', async () => {
    await using served = await startHttp();
    using proven = openWire(served);
    expect(textOf(await proven.ask(echoCall('modern')))).toBe('hello');
    using flood = new Flood();
    const seen: unknown[] = [];
    // No more at once than the system lets wait to be accepted.
    for (let wave = 1; wave <= 100; wave += 1) {
      await flood.add(served, 100);
      expect(served.running.activity().connections).toBeLessThanOrEqual(256);
      expect(proven.isClosed).toBe(false);
      seen.push(textOf(await proven.ask(echoCall('modern', String(wave)))));
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => String(index + 1)));
    await until(() => flood.closed >= 10_000 - 256);
    using next = openWire(served);
    expect(textOf(await next.ask(echoCall('modern')))).toBe('hello');
  }, 180_000);

  it('that send half of their headers end by themselves', async () => {
    await using served = await startHttp({ requestTimeoutMs: 400, maxConnections: 64 });
    using flood = new Flood();
    await flood.add(served, 64);
    await until(() => flood.closed === 64 && served.running.activity().connections === 0);
    expect(served.running.activity().requests).toBe(0);
  });
});
