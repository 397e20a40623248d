import { compare, toLines } from '../harness.mjs';
import { timeCalls } from '../load.mjs';
import { FILE, makePlace } from '../place.mjs';
import { serverFile, startServer } from '../stdio-client.mjs';

const ROUNDS = 9;
const LOAD = { calls: 1_000, atOnce: 32 };
const READ = { name: 'read_file', arguments: { path: FILE } };
const REFUSED = [
  ['refused: a name that is not known', { name: 'read_file', arguments: { pth: FILE } }],
  ['refused: three things wrong', { name: 'read_file', arguments: { path: 7, limit: 'many', ofset: 1 } }],
  ['refused: a path that leads outside', { name: 'read_file', arguments: { path: '../outside.txt' } }],
  ['refused: a tool that is not there', { name: 'read_fil', arguments: { path: FILE } }],
];

/** A refusal is an answer that is found, worded, cleaned and recorded: it must not be the cheap way to keep devs busy. */
export async function measureRefusal() {
  using place = makePlace();
  await using servers = new AsyncDisposableStack();
  const server = servers.use(await startServer([serverFile('devs'), place.root, 'process', place.inside('process.db')]));
  const contenders = [
    { name: 'a read_file of 1 KB that succeeds', measure: async () => timeCalls(async () => server.call(READ), LOAD) },
    ...REFUSED.map(([name, call]) => ({ name, measure: async () => timeCalls(async () => server.refused(call), LOAD) })),
  ];
  for (const { measure } of contenders) await measure();
  return {
    id: 'P4c',
    title: 'a whole refusal over stdio, 32 at once, log process-safe',
    against: 'a whole success in the same server',
    goal: '<= 1.2 x',
    lines: toLines(await compare(contenders, ROUNDS)),
  };
}
