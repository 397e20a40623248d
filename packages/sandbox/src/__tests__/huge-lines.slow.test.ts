import { expect, test } from '@jest/globals';
import { closeSync, openSync, writeSync } from 'node:fs';
import { openFsRoot } from '../open-fs-root.ts';
import { createPlayground, signal, text } from './playground.ts';

test('a line that begins beyond 2 GB is found', async () => {
  using ground = createPlayground();
  using files = openFsRoot({ root: ground.root });
  const offset = 2 ** 31 + 7;
  const descriptor = openSync(ground.at('file'), 'w');
  writeSync(descriptor, 'first\n', 0);
  writeSync(descriptor, '\nthird\n', offset - 1);
  closeSync(descriptor);
  const { bytes, ...found } = await files.readLines('file', { startLine: 3, limit: 512_000 }, signal());
  expect([text(bytes), found.offset, found.size]).toEqual(['third\n', offset, offset + 6]);
});
