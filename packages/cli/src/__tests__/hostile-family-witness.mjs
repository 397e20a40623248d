// The whole family of hostile servers, each behind a built devs of its own, two at a time: one JSON line for each.
// usage: node hostile-family-witness.mjs
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { BEHAVIOURS } from '../../dist/demo/hostile-family/behaviours.js';
import { witness } from '../../dist/demo/hostile-family/witness.js';

const AT_ONCE = 2;
const devs = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const behaviours = BEHAVIOURS.values();

async function work() {
  for (const { name, era = 'legacy' } of behaviours) {
    const { held, saw } = await witness(name, { devs, face: 'serve', era });
    process.stdout.write(`${JSON.stringify({ name, held, saw })}\n`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
