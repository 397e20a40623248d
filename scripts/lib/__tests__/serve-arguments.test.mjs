import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveArguments } from '../serve-arguments.mjs';

const rows = [
  ['defaults', [], ['serve', '--http', '127.0.0.1:7337', '--root', '/here']],
  ['another address', ['--http', '8080'], ['serve', '--root', '/here', '--http', '8080']],
  ['another address, one word', ['--http=8080'], ['serve', '--root', '/here', '--http=8080']],
  ['another root', ['--root', '/there'], ['serve', '--http', '127.0.0.1:7337', '--root', '/there']],
  ['a literal -- is dropped', ['--', '--json'], ['serve', '--http', '127.0.0.1:7337', '--root', '/here', '--json']],
];

for (const [name, asked, expected] of rows) {
  test(`serve arguments: ${name}`, () => assert.deepEqual(serveArguments(asked, '/here'), expected));
}
