import process from 'node:process';
import { compare, toLines } from '../harness.mjs';
import { timeCalls } from '../load.mjs';
import { FILE, makePlace } from '../place.mjs';
import { DEVS, serverFile, startServer } from '../stdio-client.mjs';

const ROUNDS = 9;
const READ = { name: 'read_file', arguments: { path: FILE } };
const LOADS = [
  { title: '32 at once', load: { calls: 2_000, atOnce: 32 } },
  { title: 'one at a time', load: { calls: 500, atOnce: 1 } },
];

/** `devs run` in front of a bare server, against the least that a proxy made of the SDK can be. */
export async function measureRun() {
  using place = makePlace();
  await using servers = new AsyncDisposableStack();
  const bare = [serverFile('bare-sdk'), place.root];
  const env = { DEVS_STATE_DIR: place.inside('state'), XDG_CONFIG_HOME: place.inside('config') };
  const start = async (name, args) => ({ name, server: servers.use(await startServer(args, { env })) });
  const started = [
    await start('SDK server and client as a proxy', [serverFile('bare-proxy'), ...bare]),
    await start('the server alone', bare),
    await start('devs run, without log', [serverFile('devs-run'), place.root, ...bare]),
    await start('devs run, log process-safe', [DEVS, 'run', ...options(place), '--', process.execPath, ...bare]),
  ];
  const lines = [];
  for (const { title, load } of LOADS) {
    const contenders = started.map(({ name, server }) => ({
      name: `${title}: ${name}`,
      measure: async () => timeCalls(async () => server.call(READ), load),
    }));
    // Unmeasured, so that every server is warm.
    for (const { measure } of contenders) await measure();
    lines.push(...toLines(await compare(contenders, ROUNDS)));
  }
  return {
    id: 'P8',
    title: 'devs run -- server, read_file of 1 KB over stdio',
    against: "the SDK's server in front and its client behind, with nothing between",
    goal: '<= 1.5 x',
    lines,
  };
}

function options({ root, config }) {
  return ['--root', root, '--config', config];
}
