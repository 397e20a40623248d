import { expect, test } from '@jest/globals';
import { tool } from '../../upstream/__tests__/fake-upstream.ts';
import { STILL } from '../../upstream/__tests__/pool-scene.ts';
import { openRelay, type Message } from './relay-scene.ts';

test('a client has the lists of quick servers while a slow one starts, and is told when that has come', async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const turns = async () => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((wake) => setImmediate(wake));
  };
  // A second is over once nothing but the slow one is still to come.
  const sleep = async (milliseconds: number, signal: AbortSignal) => (milliseconds === 1_000 ? turns() : STILL.sleep(milliseconds, signal));
  await using relay = openRelay({ slow: { tools: [tool('work')], prompts: [{ name: 'greet' }], resources: [{ uri: 'test://note', name: 'note' }], gate }, quick: { tools: [tool('a')] } }, { timers: { ...STILL, sleep } });
  await relay.greet();
  const namesIn = (answer: Message) => Object.values(Object(answer['result'])).flat().map((item) => Object(item).name);
  const lists = ['tools', 'prompts', 'resources'] as const;
  const all = async () => Promise.all(lists.map(async (list) => namesIn(await relay.ask(`${list}/list`))));
  expect(await all()).toEqual([['quick__a'], [], []]);
  resolve();
  await turns();
  expect(lists.filter((list) => relay.told(`notifications/${list}/list_changed`).length === 0)).toEqual([]);
  expect(await all()).toEqual([['slow__work', 'quick__a'], ['slow__greet'], ['note']]);
});
