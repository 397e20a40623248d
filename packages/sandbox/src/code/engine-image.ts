import type { ConfinedProcess, ConfinedRequest, Confinement } from '@devs/core';
import { encodeFrame, FRAME, FrameReader } from './channel.ts';

/**
 * The engine's memory with the prelude in it: to begin with it takes a run half of the time. Made in a box, by one that sees
 * no code before or after.
 * @throws TypeError when the box does not give one
 */
export async function makeEngineImage(confinement: Confinement, request: ConfinedRequest, prelude: string): Promise<Uint8Array> {
  const confined = await confinement.spawn(request);
  try {
    for (const output of [confined.stdout, confined.stderr]) output.resume();
    confined.channel?.write(encodeFrame(FRAME.prelude, 0, prelude));
    const image = await Promise.race([firstMessage(confined), confined.exit.then(() => undefined)]);
    if (image === undefined) throw new TypeError('The engine of code mode does not start.');
    return image;
  } finally {
    confined.kill();
    await confined.exit;
  }
}

async function firstMessage({ channel }: ConfinedProcess): Promise<Uint8Array | undefined> {
  const frames = new FrameReader();
  for await (const chunk of channel ?? []) {
    for (const message of frames.add(Buffer.from(chunk as Uint8Array))) return Buffer.from(message);
  }
  return undefined;
}
