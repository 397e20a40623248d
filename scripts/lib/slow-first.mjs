// The order in which jest starts test files. Where it does not know yet what each takes, as in a fresh clone, it goes by their size:
// a slow one that is short would begin last, while the other processors have nothing left to do.
import { createRequire } from 'node:module';
import { slowPattern } from './slow-tests.mjs';

/** It is nothing that this repository depends on by itself: jest's is asked for, step by step. */
const require = ['jest', 'jest-cli', 'jest-config'].reduce((from, name) => createRequire(from.resolve(name)), createRequire(import.meta.url));
const { default: TestSequencer } = require('@jest/test-sequencer');

export default class SlowFirst extends TestSequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isSlow = ({ path }) => new RegExp(slowPattern).test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
