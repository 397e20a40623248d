// verify-child.mjs <file>: verifies one file, and says what that took. A process of its own, so that its memory is its own.
import process from 'node:process';
import { openLogFiles, verifyLog } from '../packages/storage/dist/index.js';

await verifyTimed(process.argv[2]);

async function verifyTimed(file) {
  await using source = await openLogFiles([file]);
  // The records are read twice, then what lies around them: SQLite's own check of its indexes takes as long as it takes.
  let read = 0;
  const surroundings = source.surroundings.bind(source);
  source.surroundings = (facts) => {
    read = performance.now();
    return surroundings(facts);
  };
  const start = performance.now();
  const { verdict, records } = await verifyLog(source);
  const seconds = { records: (read - start) / 1_000, around: (performance.now() - read) / 1_000 };
  process.stdout.write(JSON.stringify({ verdict, records, seconds, megabytes: process.resourceUsage().maxRSS / 1_024 }));
}
