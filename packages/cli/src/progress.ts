import type { Writable } from 'node:stream';

const INTERVAL_MS = 200;
const WIDTH = 30;

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** A bar on a terminal, gone when disposed; nothing where nobody looks: a file or a pipe is not to be filled with bars. */
export function showProgress(what: string, read: () => Progress, stream: Writable): Disposable {
  if (!('isTTY' in stream) || stream.isTTY !== true) return { [Symbol.dispose]: () => undefined };
  const timer = setInterval(() => stream.write(`\r${describeProgress(what, read())}`), INTERVAL_MS);
  timer.unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      stream.write(`\r${' '.repeat(what.length + WIDTH + 10)}\r`);
    },
  };
}

function describeProgress(what: string, { done, total }: Progress): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.');
  return `${what} [${bar}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}
