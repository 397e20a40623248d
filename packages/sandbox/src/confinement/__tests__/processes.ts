import { readdirSync, readFileSync } from 'node:fs';

/** Numbers of the machine's processes of which the command line, or the environment, holds this text. */
export function processesWith(text: string, file: 'cmdline' | 'environ' = 'cmdline'): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/${file}`, 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** A number of seconds to sleep that nobody else sleeps. */
export function uniqueSeconds(): string {
  return `${String(process.pid)}.${String(process.hrtime.bigint())}`;
}

/** Looks until it is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
