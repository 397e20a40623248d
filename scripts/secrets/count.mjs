// usage: node scripts/secrets/count.mjs [--show N] <folder>...
// Counts what the secret rules find in the text files of the folders, by rule and megabyte. In text that holds no secrets
// (the sources and docs of dependencies) each one is a false positive. --show prints the first N of each rule, cut short.
import { readFileSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createSecretDetector } from '../../packages/core/src/sanitization/secrets/secret-detector.ts';

const LARGEST_FILE = 20 * 1_024 * 1_024;
const MEGABYTE = 1_024 * 1_024;
const AROUND = 30;

const folders = process.argv.slice(2);
const shown = folders[0] === '--show' ? Number(folders.splice(0, 2)[1]) : 0;
if (folders.length === 0) {
  process.stderr.write('usage: node scripts/secrets/count.mjs [--show N] <folder>...\n');
  process.exitCode = 64;
} else {
  report(await countFolders());
}

async function countFolders() {
  const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: crypto.getRandomValues(new Uint8Array(32)) });
  const total = { files: new Set(), units: 0, milliseconds: 0, counts: new Map() };
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) countFile(path.join(entry.parentPath, entry.name), detector, total);
    }
  }
  return total;
}

/** Once, however many links lead to it: pnpm links a package from each that uses it. */
function countFile(link, detector, total) {
  const file = realpathSync(link);
  const bytes = total.files.has(file) ? undefined : readFileSync(file);
  if (bytes === undefined || bytes.length > LARGEST_FILE || bytes.includes(0)) return;
  const text = bytes.toString('utf8');
  const started = performance.now();
  const found = detector.find(text, { toolName: 'read_file' });
  total.milliseconds += performance.now() - started;
  total.files.add(file);
  total.units += text.length;
  for (const finding of found) note(total.counts, finding, { file, text });
}

function note(counts, { start, end, rule }, { file, text }) {
  const times = (counts.get(rule) ?? 0) + 1;
  counts.set(rule, times);
  if (times > shown) return;
  const secret = text.slice(start, end);
  const cut = secret.length <= 24 ? secret : `${secret.slice(0, 12)}…${secret.slice(-4)} (${secret.length})`;
  const around = `${text.slice(Math.max(0, start - AROUND), start)}<<${cut}>>${text.slice(end, end + AROUND)}`;
  process.stdout.write(`${rule}  ${file}  ${JSON.stringify(around)}\n`);
}

function report({ files, units, milliseconds, counts }) {
  const megabytes = units / MEGABYTE;
  const speed = (megabytes / (milliseconds / 1_000)).toFixed(0);
  process.stdout.write(`${files.size} text files, ${megabytes.toFixed(1)} MB, ${speed} MB/s\n`);
  for (const [rule, times] of [...counts].sort(([, a], [, b]) => b - a)) {
    process.stdout.write(`${rule.padEnd(28)} ${String(times).padStart(8)} ${(times / megabytes).toFixed(3).padStart(9)} a MB\n`);
  }
}
