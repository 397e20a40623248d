// `node bench/hostile-check.mjs <number>`: one case of hostile-cases.mjs in a process of its own, whose peak of memory is the case's.
// Prints a line of JSON: milliseconds, kilobytes, and what came out.
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { DevsError, SchemaCompiler } from '../packages/core/dist/index.js';
import { HOSTILE_CASES } from './hostile-cases.mjs';

const { schema: makeSchema, args: makeArgs } = HOSTILE_CASES[Number(process.argv[2])];
const schema = makeSchema();
const args = makeArgs();
const compiler = new SchemaCompiler();

const registration = measure(() => compiler.compile(schema, 'foreign'));
const validation = registration.result === undefined ? undefined : measure(() => registration.result.check(args));
process.stdout.write(`${JSON.stringify({ registration: plain(registration), validation: validation && plain(validation) })}\n`);

function measure(act) {
  const peakBefore = process.resourceUsage().maxRSS;
  const start = performance.now();
  const { result, refusal } = tryTo(act);
  const milliseconds = performance.now() - start;
  return { milliseconds, kilobytes: process.resourceUsage().maxRSS - peakBefore, result, refusal };
}

function tryTo(act) {
  try {
    return { result: act() };
  } catch (cause) {
    if (!DevsError.is(cause)) throw cause;
    return { refusal: cause.code };
  }
}

function plain({ milliseconds, kilobytes, result, refusal }) {
  const isRefused = refusal !== undefined || (typeof result === 'object' && Object.hasOwn(result, 'refusal'));
  return { milliseconds, kilobytes, isRefused };
}
