import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import type { Attack } from './attack.ts';
import { FILE_ATTACKS } from './attacks-files.ts';
import { KERNEL_ATTACKS } from './attacks-kernel.ts';
import { LIMIT_ATTACKS } from './attacks-limits.ts';
import { networkAttacks } from './attacks-network.ts';
import { PROFILE } from '../box-profile.ts';
import { Groups } from '../cgroups/groups.ts';
import { BoxScene, CONFIGURATIONS, type Told, type Weakened } from './box-scene.ts';

/** On a machine that lets nobody make control groups, what holds by them alone does not hold; `.ci/run` asks for them. */
const hasGroups = process.platform === 'linux' && new Groups().isComplete;
const PLACE_HOLDERS = { tcp: 0, udp: 0, socket: '' };

/** Servers that answer whoever comes with the scene's secret. */
class Outside implements AsyncDisposable {
  readonly #tcp: net.Server;
  readonly #unix: readonly net.Server[];
  readonly #udp = dgram.createSocket('udp4');
  readonly #secret: string;
  readonly #socket: string;

  constructor({ secret, root }: BoxScene) {
    this.#secret = secret;
    this.#socket = path.join(root, 'socket');
    const answer = () => net.createServer((connection) => connection.on('error', () => undefined).end(`${secret}\n`));
    this.#tcp = answer();
    this.#unix = [answer(), answer()];
  }

  async listen() {
    this.#udp.on('message', (_, { port, address }) => this.#udp.send(this.#secret, port, address));
    this.#udp.bind(0, '127.0.0.1');
    this.#tcp.listen(0, '127.0.0.1');
    this.#unix[0]?.listen({ path: this.#socket, writableAll: true, readableAll: true });
    this.#unix[1]?.listen(`\0${this.#secret}`);
    await Promise.all([this.#udp, this.#tcp, ...this.#unix].map(async (server) => once(server, 'listening')));
    const address = this.#tcp.address();
    return { tcp: typeof address === 'object' ? (address?.port ?? 0) : 0, udp: this.#udp.address().port, socket: this.#socket };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.#tcp, ...this.#unix]) server.close();
    this.#udp.close();
    await Promise.resolve();
  }
}

async function attempt(scene: BoxScene, attack: Attack, weakened: Partial<Weakened>): Promise<{ readonly got: boolean; readonly told: Told }> {
  const request = scene.request(attack.argv(scene), attack.request?.(scene));
  const told = await scene.run(request, { profile: PROFILE, hasGroups: true, ...weakened });
  const succeeded = attack.succeeded ?? (({ out }: Told) => out.includes('GOT'));
  return { got: succeeded(told, scene), told };
}

withBoxes('escapes', () => {
  test('root can make control groups, where all of this is asked for', () => {
    const isAsked = process.env['DEVS_REQUIRE_SANDBOX'] === '1' && process.getuid?.() === 0;
    expect(hasGroups || !isAsked).toBe(true);
  });

  describe.each(CONFIGURATIONS)('boxes of $name', (configuration) => {
    describe.each([...FILE_ATTACKS, ...KERNEL_ATTACKS, ...LIMIT_ATTACKS])('$name', (attack) => {
      both(async (_, use) => use(attack), attack);
    });

    describe.each(networkAttacks(PLACE_HOLDERS).map(({ name }, index) => ({ name, index })))('$name', ({ index }) => {
      both(async (scene, use) => {
        await using outside = new Outside(scene);
        const attack = networkAttacks(await outside.listen())[index];
        if (attack !== undefined) await use(attack);
      }, {});
    });

    function both(prepare: (scene: BoxScene, use: (attack: Attack) => Promise<void>) => Promise<void>, { doubled, needsGroups }: Pick<Attack, 'doubled' | 'needsGroups'>): void {
      const holds = hasGroups || needsGroups?.includes(configuration.name) !== true;
      test(holds ? 'is stopped' : 'is not stopped: there are no control groups here', async () => {
        using scene = new BoxScene(configuration);
        await prepare(scene, async (attack) => {
          const { got, told } = await attempt(scene, attack, {});
          expect(told).toMatchObject({ out: expect.stringMatching(/^TRIED\n/) });
          expect({ got, told }).toMatchObject({ got: !holds });
        });
      });

      const reason = doubled?.[configuration.name];
      test(reason === undefined ? 'succeeds without its guard' : `does not succeed without its guard either: ${reason}`, async () => {
        using scene = new BoxScene(configuration);
        await prepare(scene, async (attack) => {
          const { got, told } = await attempt(scene, attack, attack.without(scene));
          expect({ guard: attack.guard, got, told }).toMatchObject({ got: reason === undefined });
        });
      });
    }
  });
});
