import { afterAll, beforeAll, describe } from '@jest/globals';
import { MODERN_CLIENT, openHttp, openStdio, startHttpServer } from './connection-scene.ts';
import { describeUpstream } from './upstream-contract.ts';

describe('stdio, the older protocol', () => {
  describeUpstream({ era: 'legacy', open: async () => openStdio(['sdk-server.mjs', 'stdio-legacy']) });
});

describe('stdio, the newer protocol', () => {
  describeUpstream({ era: 'modern', open: async () => openStdio(['sdk-server.mjs', 'stdio-modern'], { info: MODERN_CLIENT }) });
});

describe('stdio, the newer protocol for a client of the older one', () => {
  describeUpstream({ era: 'modern', open: async () => openStdio(['sdk-server.mjs', 'stdio-modern']) });
});

describe('stdio, the older protocol for a client of the newer one', () => {
  describeUpstream({ era: 'legacy', open: async () => openStdio(['sdk-server.mjs', 'stdio-legacy'], { info: MODERN_CLIENT }) });
});

describe('HTTP', () => {
  let server: Awaited<ReturnType<typeof startHttpServer>> | undefined;
  beforeAll(async () => {
    server = await startHttpServer(['sdk-server.mjs', 'http']);
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());

  describe('the older protocol', () => {
    describeUpstream({ era: 'legacy', open: async () => openHttp(server?.url ?? '') });
  });
  describe('the newer protocol', () => {
    describeUpstream({ era: 'modern', open: async () => openHttp(server?.url ?? '', { info: MODERN_CLIENT }) });
  });
});
