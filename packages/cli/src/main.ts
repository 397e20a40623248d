#!/usr/bin/env node
// Imports nothing: an old Node must reach the sentence below instead of failing over a dependency.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`devs needs Node 22.13 or newer; this is ${process.version}. Install a newer Node, or run it with one.\n`);
  process.exitCode = 69;
} else {
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
}

export {};
