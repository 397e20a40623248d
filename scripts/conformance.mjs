// The official suite of the protocol against devs: its HTTP server with a fixture server behind it, and devs as a client.
// usage: node scripts/conformance.mjs [--client] [--alone] [--all]      (devs has to be built)
//   --client  the client scenarios, all but OAuth: the suite's servers behind devs
//   --alone   the fixture without devs, which proves the fixture
//   --all     prints every scenario, not only what failed, and those that nobody requires
// DEVS_PEERS_DIR names a folder in which the suite stays for the next run.
// Exit 0 when every required scenario passed, with the boundaries of results on request; with those that are the
// default, what differs is printed and fails nothing.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { describeDifferences, printVerdicts, warningsOf } from './lib/conformance-report.mjs';
import { DEVS, FIXTURE_CLIENT, startAlone, startDevs } from './lib/conformance-servers.mjs';
import { openSuite, REQUIRED } from './lib/conformance-suite.mjs';
import { findNode } from './lib/find-node.mjs';
import { main } from './lib/processes.mjs';

const { values: asked } = parseArgs({ options: { client: { type: 'boolean' }, alone: { type: 'boolean' }, all: { type: 'boolean' } } });
const show = asked.all === true ? 'all' : 'failures';

await main(async () => {
  using suite = await openSuite();
  const isGreen = asked.client === true ? await runClients(suite) : await runServers(suite);
  return isGreen ? 0 : 1;
});

async function runServers(suite) {
  if (asked.alone === true) return isEnough(await runSets(suite, { start: startAlone, title: 'fixture alone', show }));
  const onRequest = await runSets(suite, { start: () => startDevs('on-request'), title: 'devs, boundaries on request', show });
  const byDefault = await runSets(suite, { start: () => startDevs(undefined), title: 'devs, boundaries by default', show: 'count' });
  process.stdout.write(`\nWhat differs with the boundaries that are the default:\n${describeDifferences(onRequest, byDefault)}`);
  return isEnough(onRequest);
}

/** @returns {Promise<Map<string, import('./lib/conformance-suite.mjs').Verdict[]>>} by revision */
async function runSets(suite, { start, title, show: shown }) {
  await using server = await start();
  const sets = new Map();
  for (const revision of REQUIRED.keys()) {
    const verdicts = await suite.runServer(server.url, revision);
    printVerdicts(`${revision}, server: ${title}`, verdicts, { show: shown });
    sets.set(revision, verdicts);
  }
  if (shown !== 'count') process.stdout.write(warningsOf(sets));
  return sets;
}

function isEnough(sets) {
  return [...REQUIRED].every(([revision, count]) => (sets.get(revision) ?? []).filter(({ required, passed }) => required && passed).length === count);
}

async function runClients(suite) {
  // The suite hands it to a shell.
  const command = [findNode(), FIXTURE_CLIENT, ...(asked.alone === true ? [] : ['--devs', DEVS])].map((word) => JSON.stringify(word)).join(' ');
  const sets = new Map();
  for (const revision of REQUIRED.keys()) {
    const verdicts = [];
    for (const scenario of suite.clientScenarios(revision)) verdicts.push(await suite.runClient(command, revision, scenario));
    printVerdicts(`${revision}, client: ${asked.alone === true ? 'the SDK alone' : 'devs'}`, verdicts, { show });
    sets.set(revision, verdicts);
  }
  process.stdout.write(warningsOf(sets));
  return [...sets.values()].every((verdicts) => verdicts.some(({ required }) => required) && verdicts.every(({ required, passed }) => passed || !required));
}
