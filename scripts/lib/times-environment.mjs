// Jest's own environment for `pnpm test:times`: writes down what each test file costs, in its process and in the children that it
// has waited for. A child that outlives its file is counted for a later one of that process, or not at all.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { secondsUsed } from './cpu-seconds.mjs';

/** It is nothing that this repository depends on by itself: jest's is asked for, step by step. */
const require = ['jest', 'jest-cli', 'jest-config'].reduce((from, name) => createRequire(from.resolve(name)), createRequire(import.meta.url));
const { TestEnvironment } = require('jest-environment-node');

export default class TimesEnvironment extends TestEnvironment {
  #start = secondsUsed();
  #file;

  constructor(config, context) {
    super(config, context);
    this.#file = context.testPath;
  }

  async teardown() {
    await super.teardown();
    const { unit, seconds } = secondsUsed();
    const cost = { file: this.#file, unit, seconds: seconds - this.#start.seconds };
    appendFileSync(process.env.DEVS_TEST_TIMES, `${JSON.stringify(cost)}\n`);
  }
}
