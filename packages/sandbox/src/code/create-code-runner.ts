import { realpathSync } from 'node:fs';
import type { CodeOutcome, CodePlan, CodeRunner, ConfinedRequest, Confinement, ProcessLimits } from '@devs/core';
import { runtimeMounts } from '../confinement/runtime-mounts.ts';
import { CodeRun } from './code-run.ts';
import { findGuestFiles, type GuestFiles } from './guest-files.ts';

export interface CodeRunnerOptions {
  readonly confinement: Confinement;
  /** Of one run's process. Its `outputBytes` do not count: a run that is in order writes none. */
  readonly limits: ProcessLimits;
  /** Of one run. */
  readonly maxToolCalls: number;
  /** By which devs's own notices are told from what tools say: `OutputPolicy.noticeId`. */
  readonly noticeId: string;
}

/** Bytes that code may fill. Node and the engine need about as much. */
const HEAP_BYTES = 134_217_728;
/** Node says why it aborts; more than that is a flood. */
const OUTPUT_BYTES = 65_536;
/** Faster to start: the engine's functions are looked at when they are called first. */
const NODE_FLAGS = ['--wasm-lazy-validation'] as const;

/**
 * Runs each code in a box of its own, which holds Node and the engine, no file of the project, and no network.
 * @param files what the boxes run; default: what comes with devs
 */
export function createCodeRunner(options: CodeRunnerOptions, files = findGuestFiles()): CodeRunner {
  return Object.freeze({ run: (plan: CodePlan) => run(plan, files, options) });
}

async function run(plan: CodePlan, files: GuestFiles, { confinement, limits, ...rules }: CodeRunnerOptions): Promise<CodeOutcome> {
  plan.signal.throwIfAborted();
  const confined = await confinement.spawn(toRequest(files, limitsOf(plan, limits)));
  const kill = () => confined.kill();
  plan.signal.addEventListener('abort', kill);
  try {
    if (confined.channel === undefined) throw new TypeError('A confined process has no channel.');
    for (const output of [confined.stdout, confined.stderr]) output.resume();
    if (plan.signal.aborted) kill();
    const outcome = await new CodeRun(confined.channel, plan, { ...rules, prelude: files.prelude }).outcome(confined);
    plan.signal.throwIfAborted();
    return outcome;
  } finally {
    plan.signal.removeEventListener('abort', kill);
    kill();
    await confined.exit;
  }
}

function limitsOf({ timeoutMs }: CodePlan, limits: ProcessLimits): ProcessLimits {
  return { ...limits, wallMs: Math.min(timeoutMs ?? limits.wallMs, limits.wallMs), outputBytes: OUTPUT_BYTES };
}

function toRequest({ script, wasm }: GuestFiles, limits: ProcessLimits): ConfinedRequest {
  const node = realpathSync(process.execPath);
  const heapBytes = Math.min(HEAP_BYTES, Math.floor(limits.memoryBytes / 2));
  return {
    argv: [node, ...NODE_FLAGS, script, String(heapBytes), wasm],
    cwd: '/',
    env: {},
    mounts: [...runtimeMounts(node), { source: script, access: 'read' }, { source: wasm, access: 'read' }],
    hosts: [],
    limits,
    channel: true,
  };
}
