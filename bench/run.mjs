// `pnpm bench` prints every row; `pnpm bench P6` prints the rows whose id begins so.
import process from 'node:process';
import { printMachine, printRow } from './harness.mjs';
import { measureValidation } from './rows/p4-validate.mjs';
import { measureReadFile } from './rows/p6-read-file.mjs';

const ROWS = [
  ['P4', measureValidation],
  ['P6', measureReadFile],
];

const asked = process.argv.slice(2).filter((argument) => argument !== '--');
const rows = ROWS.filter(([id]) => asked.length === 0 || asked.some((start) => id.startsWith(start)));
if (rows.length === 0) {
  process.stderr.write(`bench: no row ${asked.join(', ')}; there are ${ROWS.map(([id]) => id).join(', ')}\n`);
  process.exitCode = 64;
} else {
  printMachine();
  for (const [, measure] of rows) printRow(await measure());
}
