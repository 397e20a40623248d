import { createEgress, type EgressOptions } from '../egress.ts';
import { FakeNetwork, PUBLIC, type OpenServer } from './fake-network.ts';

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    (page) => page,
    ({ code, sentence }: { code: string; sentence: string }) => `${code}: ${sentence}`,
  );
}

export interface Attack {
  readonly world: FakeNetwork;
  readonly url?: string;
  readonly maxBytes?: number;
  readonly options?: Partial<EgressOptions>;
}

export const attack = async ({ world, url = 'http://example.com/', maxBytes = 100_000, options = {} }: Attack) =>
  await outcomeOf(createEgress({ hosts: ['example.com', '*.example.com'], network: world, ...options }).fetch({ url, maxBytes }, AbortSignal.timeout(60_000)));

export const worldOf = (server: OpenServer) => new FakeNetwork().name('example.com', [PUBLIC]).serve(`${PUBLIC}:80`, server);
