import { compare, toLines } from '../harness.mjs';
import { timeCalls } from '../load.mjs';
import { FILE, makePlace } from '../place.mjs';
import { serverFile, startServer } from '../stdio-client.mjs';

const ROUNDS = 9;
const LOAD = { calls: 2_000, atOnce: 32 };
const READ = { name: 'read_file', arguments: { path: FILE } };

/** A whole read_file of 1 KB over stdio, 32 at once, against the bare SDK server with the same tool. */
export async function measureReadFile() {
  using place = makePlace();
  await using servers = new AsyncDisposableStack();
  const contender = async (name, file, args) => {
    const server = servers.use(await startServer([serverFile(file), place.root, ...args]));
    const measure = async () => timeCalls(async () => server.call(READ), LOAD);
    await measure();
    return { name, measure };
  };
  const contenders = [
    await contender('bare SDK server', 'bare-sdk', []),
    await contender('devs, without log', 'devs', ['none']),
    await contender('devs, log process-safe', 'devs', ['process', place.inside('process.db')]),
    await contender('devs, log power-safe', 'devs', ['power', place.inside('power.db')]),
  ];
  return {
    id: 'P6',
    title: 'read_file of 1 KB over stdio, 32 at once',
    against: 'the bare SDK server with the same tool',
    goal: 'without log / process-safe / power-safe <= 1.25 / 1.7 / 2.5 x (the log with group commit)',
    lines: toLines(await compare(contenders, ROUNDS)),
  };
}
