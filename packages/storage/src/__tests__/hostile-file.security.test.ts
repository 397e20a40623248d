import { expect, test } from '@jest/globals';
import fs from 'node:fs';
import { once } from 'node:events';
import { openSqliteAgentLogs } from '../index.ts';
import { settle } from './damage.ts';
import { callId, createTempFolder, intentOf, recordOf, startChild } from './fixtures.ts';
import { findSchemaFault } from '../database/schema-pages.ts';
import { makeHostile } from './hostile-pages.ts';

/** Milliseconds for all scenes and actions together; one that never ends is killed then. */
const DEADLINE_MS = 60_000;

/** Where pages lead in a circle, and in which file; then what may be said of it. Every other action ends too. */
const SCENES: readonly { readonly scene: string; readonly verify: RegExp; readonly start: RegExp }[] = [
  { scene: 'sqlite_schema', verify: /^tampered: .*schema/, start: /^refused: .*(schema|circle)/ },
  { scene: 'sqlite_schema:wal', verify: /^tampered: .*schema/, start: /^refused: .*(schema|circle)/ },
  { scene: 'sqlite_schema:journal', verify: /^tampered: .*journal/, start: /^refused: .*journal/ },
  { scene: 'records', verify: /^tampered: .*damaged/, start: /^(done|refused: .*damaged)/ },
  { scene: 'records:wal', verify: /^tampered: .*damaged/, start: /^(done|refused: .*damaged)/ },
  { scene: 'records_facts', verify: /^tampered: .*circle/, start: /^(done|refused)/ },
  { scene: 'records_outcome', verify: /^tampered: .*circle/, start: /^(done|refused: .*damaged)/ },
  { scene: 'records_time', verify: /^tampered: .*circle/, start: /^(done|refused: .*damaged)/ },
  { scene: 'open_calls', verify: /^tampered: .*circle/, start: /^refused: .*damaged/ },
];

async function makeLog(file: string): Promise<void> {
  {
    await using logs = openSqliteAgentLogs({ file, durability: 'process' });
    for (let number = 0; number < 40; number += 1) {
      const id = callId(number);
      await logs.begin(intentOf({ id }));
      if (number < 30) await logs.append(recordOf({ id }));
    }
  }
  settle(file);
}

test('a log whose pages lead in a circle keeps nobody busy, wherever they lie and whatever is asked', async () => {
  using folder = createTempFolder();
  await makeLog(folder.log);
  const child = startChild('child-hostile.ts', folder.log, ...SCENES.map(({ scene }) => scene));
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.pipe(process.stderr);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  const ended = output.trim().split('\n').map((line) => JSON.parse(line) as { scene: string; action: string; ended: string });
  // The last one that is told is the one before the one that hangs.
  expect({ code, last: ended.at(-1) }).toEqual({ code: 0, last: expect.objectContaining({ scene: SCENES.at(-1)?.scene, action: 'verify' }) });
  const what = (scene: string, action: string) => ended.find((one) => one.scene === scene && one.action === action)?.ended;
  for (const { scene, verify, start } of SCENES) {
    expect([scene, what(scene, 'verify')]).toEqual([scene, expect.stringMatching(verify)]);
    expect([scene, what(scene, 'start')]).toEqual([scene, expect.stringMatching(start)]);
  }
}, DEADLINE_MS + 10_000);

test.each([
  ['a fan-out of two, in more levels than a tree has', { levels: 20, fanOut: 2 }],
  ['one level of many', { levels: 1, fanOut: 300 }],
  ['a page that names itself', { levels: 1, fanOut: 2, isLoop: true }],
])('of a schema is said that it does not end: %s', async (_name, shape) => {
  using folder = createTempFolder();
  await makeLog(folder.log);
  makeHostile(folder.log, { tree: 'sqlite_schema', ...shape });
  expect(findSchemaFault(folder.log)).toMatch(/circle/);
});

test('a log of devs has no such fault, and who has it open is not asked again: that would drop its locks', async () => {
  using folder = createTempFolder();
  await makeLog(folder.log);
  expect(findSchemaFault(folder.log)).toBeUndefined();
  makeHostile(folder.log, { tree: 'sqlite_schema' });
  const descriptor = fs.openSync(folder.log, 'r');
  expect(findSchemaFault(folder.log)).toBeUndefined();
  fs.closeSync(descriptor);
  expect(findSchemaFault(folder.log)).toBeDefined();
});
