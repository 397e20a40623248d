import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { test } from 'node:test';
import { exitCodeOf } from '../processes.mjs';

const module = JSON.stringify(new URL('../processes.mjs', import.meta.url).href);
const server = `process.on("SIGTERM", () => process.exit(7)); process.on("SIGINT", () => process.exit(8)); setInterval(() => {}, 1000); console.log("ready")`;

function startParent(command) {
  const program = `const { main, runVisibly } = await import(${module}); await main(() => runVisibly(${JSON.stringify(command)}))`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'pipe'] });
}

for (const [signal, expected] of [['SIGTERM', 7], ['SIGINT', 8]]) {
  test(`${signal} reaches the child, and the child's exit code comes back`, async () => {
    const parent = startParent([process.execPath, '--eval', server]);
    await once(parent.stdout, 'data');
    parent.kill(signal);
    const [code] = await once(parent, 'close');
    assert.equal(code, expected);
  });
}

test('a program that does not exist is a sentence, not a stack', async () => {
  const parent = startParent(['./no-such-program']);
  let said = '';
  parent.stderr.on('data', (chunk) => (said += chunk));
  const [code] = await once(parent, 'close');
  assert.equal(code, 1);
  assert.match(said, /^devs: .*ENOENT/);
  assert.doesNotMatch(said, /\n\s+at /);
});

test('a child that died of a signal has the code that shells give it', () => {
  assert.equal(exitCodeOf(null, 'SIGTERM'), 143);
  assert.equal(exitCodeOf(3, null), 3);
});
