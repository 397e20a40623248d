import { describe, expect, it } from '@jest/globals';
import type { RunningHttpServer } from '@devs/mcp';
import type { Composition } from '../../compose.ts';
import { ServeStatus } from '../serve-status.ts';

const ACTIVITY = { connections: 3, requests: 2, sessions: 1, principals: 4 };

/** A devs in front of one server that is not there. */
function createScene() {
  const devs = {
    confinement: { probe: async () => ({ name: 'bubblewrap', usable: true }) },
    gateway: { pool: { states: [{ server: 'gone', ready: 0, starting: 0, failed: 1, reason: 'its own words' }] } },
    logs: { list: async () => [{ receipt: { seq: 7 } }] },
    policy: { cleanLine: (text: string) => `cleaned: ${text}` },
    server: { inFlight: 5 },
  } as unknown as Composition;
  const closed = Promise.withResolvers<void>();
  const running = { closed: closed.promise, activity: () => ACTIVITY } as unknown as RunningHttpServer;
  return { status: new ServeStatus(devs), running, close: closed.resolve };
}

describe('the status of a devs that serves', () => {
  it('is well from when it serves until it does so no more', async () => {
    const { status, running, close } = createScene();
    expect(await status.read()).toMatchObject({ serving: false, connections: 0, requests: 0, sessions: 0, principals: 0 });
    status.serves(running);
    expect(status.isHealthy).toBe(true);
    expect(await status.read()).toMatchObject({ serving: true, callsInFlight: 5, log: { seq: 7 }, ...ACTIVITY });
    close();
    await running.closed;
    expect(status.isHealthy).toBe(false);
    expect(await status.read()).toMatchObject({ serving: false, connections: 0 });
  });

  it('shows no words of a server as they came', async () => {
    expect((await createScene().status.read())['servers']).toEqual([{ server: 'gone', ready: 0, starting: 0, failed: 1, reason: 'cleaned: its own words' }]);
  });
});
