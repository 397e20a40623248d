import assert from 'node:assert/strict';
import { test } from 'node:test';
import config from '../../../jest.config.mjs';
import SlowFirst from '../slow-first.mjs';

test('slow first: jest begins with slow files, in its own order otherwise', async () => {
  const context = { config: { id: 'x', cacheDirectory: '/nowhere' }, hasteFS: { getSize: (file) => file.length } };
  const files = ['/a.test.ts', '/b.slow.test.ts', '/c.test.ts', '/d.slow.test.ts'].map((path) => ({ path, context, duration: 1 }));
  const sorted = await new SlowFirst({ contexts: [], globalConfig: {} }).sort(files);
  assert.deepEqual(sorted.map(({ path }) => path).map((path) => path.includes('slow')), [true, true, false, false]);
  assert.match(config.testSequencer, /slow-first\.mjs$/);
});
