import { DevsError, type DevsCoreConfig } from '@devs/core';
import { ClosedFolders } from './closed-folders.ts';
import { isHostPattern } from './egress/host-list.ts';
import { isWithin } from './files/is-within.ts';
import { showsKernel } from './files/kernel-folders.ts';
import { toRealPath } from './files/real-places.ts';

interface RefusedRules {
  readonly config: Pick<DevsCoreConfig, 'sandbox'>;
  /** Folders of devs itself, absolute. */
  readonly closed: readonly string[];
}

/** @throws DevsError CONFIG_INVALID: a host that could never be reached */
export function refuseHosts(config: Pick<DevsCoreConfig, 'network' | 'tools'>): void {
  const lists = [config.network.hosts, ...Object.values(config.tools).map(({ network }) => network?.hosts ?? [])];
  const bad = lists.flat().find((host) => !isHostPattern(host));
  if (bad === undefined) return;
  const sentence = `The host ${JSON.stringify(bad)} in "network.hosts" could never be reached. Write a public host as example.com, all below it as *.example.com, or all as *.`;
  throw new DevsError('CONFIG_INVALID', { sentence });
}

/** What contains a folder of devs may be readable: the folder is hidden in it. A path within one is a mistake that nobody must make. */
export function refuseReadable({ config, closed }: RefusedRules): void {
  const own = new ClosedFolders(closed).places;
  for (const source of config.sandbox.readable) {
    const place = toRealPath(source);
    const refuse = (why: string) => new DevsError('CONFIG_INVALID', { sentence: `"sandbox.readable" names ${JSON.stringify(source)}, ${why}` });
    if (own.some((folder) => isWithin(place, folder))) throw refuse('which lies in a folder of devs itself. Take it out.');
    // Over the box's own /proc it would show the processes of the whole machine.
    if (showsKernel(place)) throw refuse('which shows what the kernel says of the whole machine. Name the folders that commands need.');
  }
}
