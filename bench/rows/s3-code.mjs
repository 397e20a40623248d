import { realpathSync } from 'node:fs';
import process from 'node:process';
import { CodeEngine } from '../../packages/sandbox/dist/code/code-engine.js';
import { createCodeRunner } from '../../packages/sandbox/dist/code/create-code-runner.js';
import { BubblewrapConfinement } from '../../packages/sandbox/dist/confinement/bubblewrap-confinement.js';
import { runtimeMounts } from '../../packages/sandbox/dist/confinement/runtime-mounts.js';
import { compare, median, showTime, toLines } from '../harness.mjs';

const ROUNDS = 25;
const CALLS = 500;
const LIMITS = { wallMs: 60_000, outputBytes: 65_536, memoryBytes: 1_073_741_824, processes: 64, fileBytes: 1_048_576, openFiles: 256 };

/** What `run_code` costs beside Node itself in the same box, and what one of its calls costs between box and devs. */
export async function measureCode() {
  const { signal } = new AbortController();
  const confinement = new BubblewrapConfinement({ root: process.cwd() });
  const runner = createCodeRunner({ engine: new CodeEngine(confinement), limits: LIMITS, maxToolCalls: CALLS, noticeId: '00000000' });
  const callTool = async () => ({ content: [{ type: 'text', text: 'x' }] });
  const runCode = async (code) => {
    const { end } = await runner.run({ code, tools: ['read_file'], callTool, signal });
    if (end.kind !== 'value') throw new Error(`the code ended by ${JSON.stringify(end)}`);
  };
  const node = realpathSync(process.execPath);
  const runNode = async () => {
    const { exit } = await confinement.exec(
      { argv: [node, '-e', '0'], cwd: '/', env: {}, mounts: runtimeMounts(node), hosts: [], limits: LIMITS },
      { signal, keepBytes: 1_000 },
    );
    if (exit.kind !== 'code' || exit.code !== 0) throw new Error(`node -e 0 ended by ${JSON.stringify(exit)}`);
  };
  // The first run makes the engine's image.
  await runCode('1');
  const results = await compare(
    [
      { name: 'node -e 0, confined', measure: async () => time(runNode) },
      { name: 'run_code, one expression', measure: async () => time(async () => runCode('1')) },
      { name: `run_code, ${CALLS} calls`, measure: async () => time(async () => runCode(`for (let n = 0; n < ${CALLS}; n += 1) await tools.read_file({ path: 'x' })`)) },
    ],
    ROUNDS,
  );
  const [, alone, calls] = results;
  const perCall = median(calls.times.map((one, round) => (one - alone.times[round]) / CALLS));
  return {
    id: 'S3',
    title: 'run_code: a box, Node, the engine, one expression; and one call of a tool from code',
    against: 'divided by: node -e 0 in the same box',
    goal: 'one expression <= 1.3 x; a call <= 1 ms',
    lines: [...toLines(results), { name: 'each call', figures: [showTime(perCall)] }],
  };
}

async function time(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1_000;
}
