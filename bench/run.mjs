// `pnpm bench` prints every row; `pnpm bench P6` prints the rows whose id begins so.
import process from 'node:process';
import { printMachine, printRow } from './harness.mjs';
import { measureBox } from './rows/b1-box.mjs';
import { measureBigLog } from './rows/l1-big-log.mjs';
import { measureVerify } from './rows/l2-verify.mjs';
import { measureLatency } from './rows/n1-latency.mjs';
import { measureSanitization, measureSecrets } from './rows/p1-sanitize.mjs';
import { measureHostileOutput } from './rows/p3-hostile-output.mjs';
import { measureValidation } from './rows/p4-validate.mjs';
import { measureHostile } from './rows/p4b-hostile.mjs';
import { measureRefusal } from './rows/p4c-refusal.mjs';
import { measureLog } from './rows/p5-log.mjs';
import { measureLargeReads, measureReadFile } from './rows/p6-read-file.mjs';
import { measureOneAtATime } from './rows/p6b-one-at-a-time.mjs';
import { measureRun } from './rows/p8-run.mjs';
import { measureServe } from './rows/p8b-serve.mjs';
import { measureGatewayMemory } from './rows/p8c-memory.mjs';
import { measureStart } from './rows/p9a-start.mjs';
import { measureMemory } from './rows/p9b-memory.mjs';
import { measureCode } from './rows/s3-code.mjs';
import { measureTokens } from './rows/t1-tokens.mjs';

const ROWS = [
  ['L2', measureVerify],
  ['P1', measureSanitization],
  ['P2', measureSecrets],
  ['P3', measureHostileOutput],
  ['P4', measureValidation],
  ['N1', measureLatency],
  ['P4b', measureHostile],
  ['P4c', measureRefusal],
  ['P5', measureLog],
  ['P6', measureReadFile],
  ['P6b', measureOneAtATime],
  ['P7', measureLargeReads],
  ['P8', measureRun],
  ['P8b', measureServe],
  ['P8c', measureGatewayMemory],
  ['P9a', measureStart],
  ['P9b', measureMemory],
  ['T1', measureTokens],
  ['L1', measureBigLog],
  ['B1', measureBox],
  ['S3', measureCode],
];

// Ctrl-C ends the bench by its own exit, which takes the children and the folders with it.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const asked = process.argv.slice(2).filter((argument) => argument !== '--');
const rows = ROWS.filter(([id]) => asked.length === 0 || asked.some((start) => id.startsWith(start)));
if (rows.length === 0) {
  process.stderr.write(`bench: no row ${asked.join(', ')}; there are ${ROWS.map(([id]) => id).join(', ')}\n`);
  process.exitCode = 64;
} else {
  printMachine();
  for (const [id, measure] of rows) await show(id, measure);
}

/** A row that cannot be measured says why, and the others are measured all the same. */
async function show(id, measure) {
  try {
    printRow(await measure());
  } catch (cause) {
    process.stderr.write(`\n${id}  could not be measured: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    process.exitCode = 1;
  }
}
