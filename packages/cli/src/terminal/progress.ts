import type { Writable } from 'node:stream';

const INTERVAL_MS = 200;
const WIDTH = 30;

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/**
 * A bar on a terminal, gone when disposed: before anything else is written there, which would stand behind it. Nothing where
 * nobody looks: a file or a pipe is not to be filled with bars.
 */
export function showProgress(what: string, read: () => Progress, stream: Writable): Disposable {
  if (!('isTTY' in stream) || stream.isTTY !== true) return { [Symbol.dispose]: () => undefined };
  let drawn = 0;
  const timer = setInterval(() => {
    const bar = describeProgress(what, read());
    drawn = Math.max(drawn, bar.length);
    stream.write(`\r${bar}`);
  }, INTERVAL_MS);
  timer.unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      if (drawn > 0) stream.write(`\r${' '.repeat(drawn)}\r`);
    },
  };
}

function describeProgress(what: string, { done, total }: Progress): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.');
  return `${what} [${bar}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}
