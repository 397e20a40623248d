import { ToolRegistry, validateToolArgs } from '../../packages/core/dist/index.js';
import { builtInTools } from '../../packages/tools/dist/index.js';
import { median, quantile, showTime } from '../harness.mjs';

/** Seed 004, N1: what validation may add to one call, in milliseconds. */
const LIMIT_MS = 5;
/** How long the control keeps the processor busy in each check. */
const LOOP_MS = 10;
const CALLS = 300;
const quiet = { log: () => undefined };

/** Arguments of different sizes; the last are as large as a tool takes. */
const CASES = [
  ['read_file', { path: 'packages/core/src/index.ts', offset: 0, limit: 1024 }],
  ['shell_exec', { argv: Array.from({ length: 100 }, (_, index) => `--option=${index}`), env: { PATH: '/usr/bin', LANG: 'C.UTF-8' } }],
  ['write_file', { path: 'a.txt', content: 'x'.repeat(1_048_576) }],
];

/**
 * Milliseconds that each check takes, one by one: a mean over many calls would hide one that hangs. The control is the same
 * code with a loop of 10 ms in the check: a row that did not show it as over the limit would show nothing.
 */
export async function measureLatency() {
  const tools = new ToolRegistry();
  for (const tool of builtInTools) tools.register(tool);
  const slowed = { getTool: (name) => withLoop(tools.getTool(name)) };
  const lines = [
    ...CASES.map(([name, args]) => toLine(`validateToolArgs(${name}), ${sizeOf(args)}`, timeEach(tools, [name, args], CALLS))),
    toLine(`control: read_file with a loop of ${LOOP_MS} ms`, timeEach(slowed, CASES[0], 20)),
  ];
  return {
    id: 'N1',
    title: 'milliseconds that validation adds to one call: median, 99th percentile, slowest',
    against: `${CALLS} calls, each timed alone; the control must say OVER`,
    goal: `each call < ${LIMIT_MS} ms`,
    lines,
  };
}

function withLoop(tool) {
  const check = (args) => {
    const until = performance.now() + LOOP_MS;
    while (performance.now() < until);
    return tool.schema.check(args);
  };
  return { ...tool, schema: { check } };
}

function timeEach(registry, [name, args], calls) {
  return Array.from({ length: calls }, () => {
    const start = performance.now();
    const { valid } = validateToolArgs(name, args, registry, quiet);
    const took = performance.now() - start;
    if (!valid) throw new Error(`The arguments of ${name} do not fit its schema.`);
    return took;
  });
}

function toLine(name, times) {
  const figures = [median(times), quantile(times, 0.99), Math.max(...times)];
  // By the middle: a neighbour on the machine may hold up any one call.
  const verdict = figures[0] < LIMIT_MS ? 'under' : 'OVER';
  return { name, figures: [...figures.map((time) => showTime(time * 1_000)), verdict] };
}

function sizeOf(args) {
  return `${Math.ceil(JSON.stringify(args).length / 1_024)} KB`;
}
