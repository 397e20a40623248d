// What jest gives a test for `fast-check`. `npm test` tries every law on the same cases each time, so that what turns a change
// red is the change. The nightly run and `pnpm fuzz`, which say how often, look at other cases each time: finding new ones is
// what they are for.
import process from 'node:process';
// By its path: by its name jest would give this file again.
import library from '../../node_modules/fast-check/lib/cjs/fast-check.js';

const SEED = 20_261_122;

// Without more words fast-check stops at about ten units of a text or list, whatever `maxLength` says.
if (process.env.DEVS_LAW_RUNS === undefined) library.configureGlobal({ seed: SEED });
else library.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });

export * from '../../node_modules/fast-check/lib/cjs/fast-check.js';
export default library;
