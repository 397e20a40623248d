import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare } from '../harness.mjs';
import { startServer, timeCalls } from '../stdio-client.mjs';

const ROUNDS = 9;
const LOAD = { calls: 2_000, atOnce: 32 };
const script = (name) => fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));

/** A whole read_file of 1 KB over stdio, 32 at once, against the bare SDK server with the same tool. */
export async function measureReadFile() {
  const place = await mkdtemp(path.join(os.tmpdir(), 'devs-bench-'));
  await writeFile(path.join(place, 'one-kilobyte.txt'), 'x'.repeat(1_024));
  const servers = [];
  try {
    const contender = async (name, file, args) => {
      const server = await startServer(script(file), [place, ...args]);
      servers.push(server);
      const measure = async () => timeCalls(server, { name: 'read_file', arguments: { path: 'one-kilobyte.txt' } }, LOAD);
      await measure();
      return { name, measure };
    };
    const contenders = [
      await contender('bare SDK server', 'bare-sdk', []),
      await contender('devs, without log', 'devs', ['none']),
      await contender('devs, log process-safe', 'devs', ['process', path.join(place, 'process.db')]),
      await contender('devs, log power-safe', 'devs', ['power', path.join(place, 'power.db')]),
    ];
    const results = await compare(contenders, ROUNDS);
    return {
      id: 'P6',
      title: 'read_file of 1 KB over stdio, 32 at once',
      goal: 'without log / process-safe / power-safe <= 1.25 / 1.7 / 2.5 x (the log with group commit)',
      results,
    };
  } finally {
    await Promise.all(servers.map(async (server) => server.stop()));
    await rm(place, { recursive: true, force: true });
  }
}
