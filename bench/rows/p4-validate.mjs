import process from 'node:process';
import { ToolRegistry, validateToolArgs } from '../../packages/core/dist/index.js';
import { builtInTools } from '../../packages/tools/dist/index.js';
import { compare } from '../harness.mjs';

const CALLS = 100_000;
const quiet = { log: () => undefined };

/** Copy, prototype keys, schema, freeze: what every call's arguments go through. */
export async function measureValidation() {
  const registry = new ToolRegistry();
  for (const tool of builtInTools) registry.register(tool);
  const args = { path: 'packages/core/src/index.ts', offset: 0, limit: 1024 };
  const results = await compare(
    [
      { name: 'JSON.parse(JSON.stringify(args))', measure: () => time(() => JSON.parse(JSON.stringify(args))) },
      { name: 'validateToolArgs(read_file)', measure: () => time(() => validateToolArgs('read_file', args, registry, quiet)) },
    ],
    9,
  );
  return { id: 'P4', title: 'validate the arguments of a tool, schema compiled', goal: '<= 5 µs', results };
}

function time(operation) {
  const start = process.hrtime.bigint();
  for (let index = 0; index < CALLS; index += 1) operation();
  return Number(process.hrtime.bigint() - start) / 1_000 / CALLS;
}
