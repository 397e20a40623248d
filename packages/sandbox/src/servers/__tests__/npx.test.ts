import { describe, expect, it } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import type { ServerOrder } from '../server-order.ts';
import { openRegistry, PACKAGE } from './registry.ts';
import { CONFIGURATIONS, ServerScene } from './server-scene.ts';

/** `hosts` would be that of the public registry; here it lies on this machine. */
const fetching = (port: number): Partial<ServerOrder> => ({ loopbackPorts: [port], ownEnv: { npm_config_offline: 'false' } });

withBoxes('servers that npx starts', () => {
  describe.each(CONFIGURATIONS)('boxes of $name', (configuration) => {
    it('are fetched in their box, where it reaches the registry, and then start without any network', async () => {
      await using scene = new ServerScene(configuration);
      using registry = await openRegistry(scene.program);
      const npx: Partial<ServerOrder> = { command: 'npx', args: ['-y', '--registry', registry.url, PACKAGE] };
      const unfetched = await scene.start(npx);
      expect(await unfetched.server.exited).toEqual({ kind: 'ended', code: 1 });
      const fetched = await scene.start({ ...npx, ...fetching(registry.port) });
      expect(await fetched.ask('return 1 + 1')).toEqual({ value: 2 });
      await fetched.server.end();
      const again = await scene.start(npx);
      expect(await again.ask('return 1 + 1')).toEqual({ value: 2 });
    });
  });
});
