// The family of hostile servers behind devs: what each does, and what became of it. Needs a built devs.
// usage: node scripts/conformance-hostile.mjs [--subcommand serve|run] [--era legacy|modern] [<behaviour>…]
// Exit 0 when everything became what it must.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { BEHAVIOURS, witness } from '../packages/demo/dist/index.js';
import { main } from './lib/processes.mjs';
import { inRepository } from './lib/repository.mjs';

const devs = inRepository('packages', 'cli', 'dist', 'main.js');
const { values, positionals } = parseArgs({
  options: { subcommand: { type: 'string', default: 'serve' }, era: { type: 'string', default: 'legacy' } },
  allowPositionals: true,
});

await main(async () => {
  let broken = 0;
  for (const { name, title, isOfMany } of BEHAVIOURS.values()) {
    if (positionals.length > 0 ? !positionals.includes(name) : isOfMany === true && values.subcommand === 'run') continue;
    const { held, saw } = await witness(name, { devs, subcommand: values.subcommand, era: values.era });
    if (!held) broken += 1;
    process.stdout.write(`${held ? 'held  ' : 'BROKEN'}  ${name.padEnd(32)} ${title}\n          ${saw.replaceAll(/\s+/g, ' ').slice(0, 220)}\n`);
  }
  process.stdout.write(`${broken} broken\n`);
  return broken === 0 ? 0 : 1;
});
