// `pnpm build`: every package's dist, by turbo. Extra arguments go to turbo (`--filter @devs/core`).
import process from 'node:process';
import { main } from './lib/processes.mjs';
import { runTurbo } from './lib/turbo.mjs';

await main(() => runTurbo(['build', '--output-logs=errors-only', ...process.argv.slice(2)]));
