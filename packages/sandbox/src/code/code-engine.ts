import { realpathSync } from 'node:fs';
import { DevsError, type ConfinedProcess, type ConfinedRequest, type Confinement, type ProcessExit, type ProcessLimits } from '@devs/core';
import { runtimeMounts } from '../confinement/runtime-mounts.ts';
import { encodeFrame, FRAME, FrameReader } from './channel.ts';
import { findGuestFiles, type GuestFiles } from './guest-files.ts';

/** Bytes that code may fill. Node and the engine need about as much. */
const HEAP_BYTES = 134_217_728;
/** To start sooner: functions of the engine are looked at when they are first called, and one thread is enough beside the first. */
const NODE_FLAGS = ['--wasm-lazy-validation', '--v8-pool-size=1'] as const;
/** Node says why it aborts; more than that is a flood. */
const OUTPUT_BYTES = 65_536;

/**
 * What the runs of one project share: where the engine's files lie, and its image, which is its memory with the prelude in
 * it. To begin with that takes a run half of the time. It is made once, in a box that sees no code before or after.
 */
export class CodeEngine {
  readonly #confinement: Confinement;
  #files: GuestFiles | undefined;
  #image: Promise<Uint8Array> | undefined;

  constructor(confinement: Confinement) {
    this.#confinement = confinement;
  }

  /** A box that waits for an image, tools and code. @throws DevsError SANDBOX_UNAVAILABLE */
  async start(limits: ProcessLimits): Promise<ConfinedProcess> {
    this.#files ??= findGuestFiles();
    const confined = await this.#confinement.spawn(toRequest(this.#files, limits));
    // What nobody reads makes the process wait: then a flood would never reach its limit.
    for (const output of [confined.stdout, confined.stderr]) output.resume();
    return confined;
  }

  /** @param limits of the box that it is made in, if it has to be. @throws DevsError SANDBOX_UNAVAILABLE */
  async image(limits: ProcessLimits): Promise<Uint8Array> {
    this.#image ??= this.#makeImage(limits);
    try {
      return await this.#image;
    } catch (cause) {
      // What kept it from being made may pass.
      this.#image = undefined;
      throw cause;
    }
  }

  async #makeImage(limits: ProcessLimits): Promise<Uint8Array> {
    const confined = await this.start(limits);
    try {
      confined.channel?.write(encodeFrame(FRAME.prelude, 0, this.#files?.prelude ?? ''));
      const image = await Promise.race([firstMessage(confined), confined.exit.then(() => undefined)]);
      if (image === undefined) throw new DevsError('SANDBOX_UNAVAILABLE', { sentence: describeFailure(await confined.exit) });
      return image;
    } finally {
      confined.kill();
      await confined.exit;
    }
  }
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
    limits: { ...limits, outputBytes: OUTPUT_BYTES },
    channel: true,
  };
}

function describeFailure({ kind }: ProcessExit): string {
  // bwrap mounts as the account that boxes run as.
  if (kind === 'setup') return 'The sandbox for code could not be created. Its account may not be able to read Node, or the folder where devs is installed.';
  return 'The engine for code does not start in its sandbox. Its limits may be too small for Node.';
}

/** Undefined when the process ends without one: what is written to it then breaks the channel, and says no more than that. */
async function firstMessage({ channel }: ConfinedProcess): Promise<Uint8Array | undefined> {
  const frames = new FrameReader();
  try {
    for await (const chunk of channel ?? []) {
      for (const message of frames.add(Buffer.from(chunk as Uint8Array))) return message;
    }
  } catch {
    // How it has ended tells why.
  }
  return undefined;
}
