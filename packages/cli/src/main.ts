#!/usr/bin/env node
// Imports nothing but Node: an old one must reach the sentence below instead of failing over a dependency.
import { setFlagsFromString } from 'node:v8';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`devs needs Node 22.13 or newer; this is ${process.version}. Install a newer Node, or run it with one.\n`);
  process.exitCode = 69;
} else {
  // By itself V8 lets a small heap grow fourfold before it looks for garbage in it: a devs that runs all day beside an editor
  // held 350 MB for 35. Measured: as quick, and flat from the ten thousandth call on (docs/decisions/0042-memory.md).
  setFlagsFromString('--heap-growing-percent=60');
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
  // Lines that nobody reads would keep the process alive for ever; what is read has a second to be.
  await Promise.race([Promise.all([flush(process.stdout), flush(process.stderr)]), wait(1_000)]);
  process.exit();
}

async function flush(stream: NodeJS.WritableStream): Promise<void> {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}

async function wait(milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
}
