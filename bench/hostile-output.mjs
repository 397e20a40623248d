// `node bench/hostile-output.mjs <number> <bytes> <secrets>`: one text of hostile-outputs.mjs in a process of its own, whose peak
// of memory is the text's. Prints a line of JSON: milliseconds, kilobytes beyond what stood before, and what came out.
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { DevsError } from '../packages/core/dist/index.js';
import { HOSTILE_OUTPUTS } from './hostile-outputs.mjs';
import { createSanitize } from './sanitization.mjs';

const [number, bytes, secrets] = process.argv.slice(2);
const sanitize = createSanitize({ secrets: secrets === 'true' });
const text = HOSTILE_OUTPUTS[Number(number)][1](Number(bytes));
sanitize('warm');
const before = process.resourceUsage().maxRSS;
const start = performance.now();
const outcome = tryTo(() => sanitize(text));
const milliseconds = performance.now() - start;
process.stdout.write(`${JSON.stringify({ milliseconds, kilobytes: process.resourceUsage().maxRSS - before, outcome })}\n`);

function tryTo(act) {
  try {
    return Object.keys(act().report.counts).length === 0 ? 'clean' : 'changed';
  } catch (cause) {
    if (!DevsError.is(cause)) throw cause;
    return cause.code.toLowerCase();
  }
}
