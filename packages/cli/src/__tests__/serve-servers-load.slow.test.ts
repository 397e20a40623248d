import { describe, expect, it } from '@jest/globals';
import { createProject } from './devs.ts';
import { isAlive, untilGone } from './processes.ts';
import { hostileServer, joinHttp, pidsOf, serveHttp, wordsOf, type HttpClient } from './serve-servers-scene.ts';

const NAMES = ['one', 'two', 'three'];
const CALLS = 400;
const AT_ONCE = 16;
const KILLS = 8;
/** An answer, or what is said of a call that its server took along, that found none there, or that nobody answers. */
const ANSWERED = /^x$|^The server of this tool (ended before it answered|is not running)\.?|^The tool did not finish within its time limit\./;

describe('servers that are killed under load', () => {
  it.each([['one client', 1], ['two clients', 2]])('take no call with them that is not answered, and leave nobody (%s)', async (_name, clients) => {
    await using project = await createProject();
    const entry = { ...hostileServer('--grandchild'), limits: { toolTimeoutMs: 5_000 } };
    const served = await serveHttp(project, { mcpServers: Object.fromEntries(NAMES.map((name) => [name, entry])) });
    const joined = await Promise.all(Array.from({ length: clients }, async () => joinHttp(served, served.token)));
    const everybody = new Set<number>();
    const answers: string[] = [];
    let begun = 0;
    const work = async () => {
      for (let number = begun++; number < CALLS; number = begun++) {
        const { client } = at(joined, number);
        if (number % (CALLS / KILLS) === 0) await killOne(at(joined, number / (CALLS / KILLS)), at(NAMES, number / (CALLS / KILLS)), everybody);
        // Some that the server never answers, so that each kill finds calls at work.
        const tool = number % 40 === 1 ? 'silent' : 'echo';
        answers.push(await wordsOf(client, `${at(NAMES, number)}__${tool}`, { text: 'x' }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(answers).toHaveLength(CALLS);
    expect(answers.filter((words) => !ANSWERED.test(words))).toEqual([]);
    for (const { client } of joined) {
      for (const name of NAMES) for (const pid of await pidsOf(client, name)) everybody.add(pid);
    }
    expect([...everybody].filter(isAlive)).toHaveLength(2 * NAMES.length * clients);
    for (const each of joined) await each[Symbol.asyncDispose]();
    await served[Symbol.asyncDispose]();
    await untilGone([...everybody]);
    const calls = (await project.log()).filter(({ toolName }) => String(toolName).endsWith('__echo') || String(toolName).endsWith('__silent'));
    expect(calls).toHaveLength(CALLS);
  });
});

async function killOne({ client }: HttpClient, name: string, everybody: Set<number>): Promise<void> {
  const pids = await pidsOf(client, name).catch(() => []);
  for (const pid of pids) everybody.add(pid);
  for (const pid of pids.slice(0, 1)) process.kill(pid, 'SIGKILL');
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('there is none');
  return item;
}
