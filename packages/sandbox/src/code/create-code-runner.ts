import { realpathSync } from 'node:fs';
import type { CodeOutcome, CodePlan, CodeRunner, ConfinedRequest, Confinement, ProcessLimits } from '@devs/core';
import { runtimeMounts } from '../confinement/runtime-mounts.ts';
import { CodeRun } from './code-run.ts';
import { makeEngineImage } from './engine-image.ts';
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

/**
 * Runs each code in a box of its own, which holds Node and the engine, no file of the project, and no network.
 * @param files what the boxes run; default: what comes with devs
 */
export function createCodeRunner(options: CodeRunnerOptions, files = findGuestFiles()): CodeRunner {
  return new BoxedCodeRunner(options, files);
}

class BoxedCodeRunner implements CodeRunner {
  readonly #options: CodeRunnerOptions;
  readonly #files: GuestFiles;
  #image: Promise<Uint8Array> | undefined;

  constructor(options: CodeRunnerOptions, files: GuestFiles) {
    this.#options = options;
    this.#files = files;
  }

  async run(plan: CodePlan): Promise<CodeOutcome> {
    const { confinement, limits, ...rules } = this.#options;
    const image = await this.#findImage();
    plan.signal.throwIfAborted();
    const confined = await confinement.spawn(toRequest(this.#files, { ...limits, wallMs: Math.min(plan.timeoutMs ?? limits.wallMs, limits.wallMs) }));
    const kill = () => confined.kill();
    plan.signal.addEventListener('abort', kill);
    try {
      if (confined.channel === undefined) throw new TypeError('A confined process has no channel.');
      for (const output of [confined.stdout, confined.stderr]) output.resume();
      if (plan.signal.aborted) kill();
      const outcome = await new CodeRun(confined.channel, plan, { ...rules, image }).outcome(confined);
      plan.signal.throwIfAborted();
      return outcome;
    } finally {
      plan.signal.removeEventListener('abort', kill);
      kill();
      await confined.exit;
    }
  }

  /** Made once. What kept it from being made may pass. */
  async #findImage(): Promise<Uint8Array> {
    const { confinement, limits } = this.#options;
    this.#image ??= makeEngineImage(confinement, toRequest(this.#files, limits), this.#files.prelude);
    try {
      return await this.#image;
    } catch (cause) {
      this.#image = undefined;
      throw cause;
    }
  }
}

function toRequest({ script, wasm }: GuestFiles, limits: ProcessLimits): ConfinedRequest {
  const node = realpathSync(process.execPath);
  const heapBytes = Math.min(HEAP_BYTES, Math.floor(limits.memoryBytes / 2));
  return {
    argv: [node, script, String(heapBytes), wasm],
    cwd: '/',
    env: {},
    mounts: [...runtimeMounts(node), { source: script, access: 'read' }, { source: wasm, access: 'read' }],
    hosts: [],
    limits: { ...limits, outputBytes: OUTPUT_BYTES },
    channel: true,
  };
}
