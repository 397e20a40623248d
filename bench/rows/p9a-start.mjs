import process from 'node:process';
import { compare, toLines } from '../harness.mjs';
import { microsecondsSince } from '../load.mjs';
import { makePlace } from '../place.mjs';
import { DEVS, serverFile, startServer } from '../stdio-client.mjs';

const ROUNDS = 15;

/** From the start of the process to its answer to the first `tools/list`, the handshake in between. */
export async function measureStart() {
  using place = makePlace();
  const contender = async (name, args) => {
    const measure = async () => timeStart(args, { env: { DEVS_STATE_DIR: place.inside('state'), XDG_CONFIG_HOME: place.inside('config') } });
    // The first start reads the disk and makes the log; every later one is as users know it.
    await measure();
    return { name, measure };
  };
  const contenders = [
    await contender('bare SDK server', [serverFile('bare-sdk'), place.root]),
    await contender('devs serve', [DEVS, 'serve', '--root', place.root]),
  ];
  return {
    id: 'P9a',
    title: 'start to the first answer (initialize, tools/list) over stdio',
    against: 'the bare SDK server',
    goal: '<= 1.5 x',
    lines: toLines(await compare(contenders, ROUNDS)),
  };
}

async function timeStart(args, options) {
  const start = process.hrtime.bigint();
  await using server = await startServer(args, options);
  const tools = await server.list();
  const taken = microsecondsSince(start);
  if (tools.length === 0) throw new Error(`bench: ${args[0]} lists no tools`);
  return taken;
}
