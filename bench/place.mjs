// A folder to serve and a folder for state, gone with the row that asked for them, and with the bench.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** The text that every `read_file` of the bench gives back: 1 KB. */
export const FILE = 'one-kilobyte.txt';

/** Disposable. `root` is served, `folder` is around it: what lies there is the operator's. */
export function makePlace() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'devs-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const root = path.join(folder, 'root');
  mkdirSync(root);
  writeFileSync(path.join(root, FILE), 'x'.repeat(1_024));
  // What is logged survives a killed devs, not a power cut: the disk's own time would hide the gate's.
  const config = path.join(folder, 'process-safe.json');
  writeFileSync(config, JSON.stringify({ audit: { durability: 'process' } }), { mode: 0o600 });
  return {
    root,
    config,
    inside: (name) => path.join(folder, name),
    [Symbol.dispose]: () => {
      process.removeListener('exit', remove);
      remove();
    },
  };
}
