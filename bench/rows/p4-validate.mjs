import { ToolRegistry, validateToolArgs } from '../../packages/core/dist/index.js';
import { builtInTools } from '../../packages/tools/dist/index.js';
import { compare, toLines } from '../harness.mjs';
import { timeRuns } from '../load.mjs';

const CALLS = 100_000;
const quiet = { log: () => undefined };

/** Copy, prototype keys, schema, freeze: what every call's arguments go through. */
export async function measureValidation() {
  const registry = new ToolRegistry();
  for (const tool of builtInTools) registry.register(tool);
  const args = { path: 'packages/core/src/index.ts', offset: 0, limit: 1024 };
  const copy = 'JSON.parse(JSON.stringify(args))';
  const results = await compare(
    [
      { name: copy, measure: () => timeRuns(() => JSON.parse(JSON.stringify(args)), CALLS) },
      { name: 'validateToolArgs(read_file)', measure: () => timeRuns(() => validateToolArgs('read_file', args, registry, quiet), CALLS) },
    ],
    9,
  );
  return { id: 'P4', title: 'validate the arguments of a tool, schema compiled', against: copy, goal: '<= 5 µs', lines: toLines(results) };
}
