import type { ConfinedProcess, ExecOptions, ProcessOutcome } from '@devs/core';
import { captureStream } from './capture.ts';

/** Gives a started process its input and waits for its end: `exec` of every back end. */
export async function collect(running: ConfinedProcess, { stdin, signal, keepBytes }: ExecOptions): Promise<ProcessOutcome> {
  const cancel = () => running.kill();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    running.stdin.end(stdin);
    const [exit, stdout, stderr] = await Promise.all([running.exit, captureStream(running.stdout, keepBytes), captureStream(running.stderr, keepBytes)]);
    return { exit, stdout, stderr, enforcement: running.enforcement };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
