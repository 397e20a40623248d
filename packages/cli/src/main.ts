#!/usr/bin/env node
// Imports nothing: an old Node must reach the sentence below instead of failing over a dependency.

// better-sqlite3 13 is built for Node-API 10, and crashes without a word where there is an older one: 22.13, 23.5.
if (Number(process.versions['napi']) < 10) {
  process.stderr.write(`devs needs Node 22.14 or newer; this is ${process.version}. Install a newer Node, or run it with one.\n`);
  process.exitCode = 69;
} else {
  process.exitCode = await run(process.argv.slice(2));
  // Lines that nobody reads would keep the process alive for ever; what is read has a second to be.
  await Promise.race([Promise.all([flush(process.stdout), flush(process.stderr)]), wait(1_000)]);
  process.exit();
}

/** What reads a log reads what anybody may have written: in a process that can be ended (docs/decisions/0049-reading-a-hostile-log.md). */
async function run(args: readonly string[]): Promise<number> {
  if (args[0] === 'logs') {
    const { answerWatcher, isWatched } = await import('./watched.ts');
    if (!isWatched()) return (await import('./watch-reader.ts')).runWatched(args);
    answerWatcher();
  }
  const { runProgram } = await import('./program.ts');
  return runProgram(args);
}

/** Whoever reads may have gone away. Without a listener that error would end the process with a stack. */
async function flush(stream: NodeJS.WritableStream): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}

async function wait(milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
}
