import path from 'node:path';
import { Worker } from 'node:worker_threads';

/** A devs that runs one box from a thread of its own, and ends that thread once the box speaks. Itself it goes on. */
const [, , ...words] = process.argv;
const worker = new Worker(path.join(__dirname, 'run-source.mjs'), {
  argv: [path.join(__dirname, 'box-runner.ts'), ...words],
  // Its output is its own, to be heard here.
  stdout: true,
  trackUnmanagedFds: false,
});
worker.stdout.once('data', () => {
  void worker.terminate().then(() => process.stdout.write('terminated\n'));
});
setInterval(() => undefined, 60_000);
