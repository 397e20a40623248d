import { compilePattern } from '../../../patterns/compile-pattern.ts';
import { PatternRefused } from '../../../patterns/pattern-refused.ts';
import type { Run } from './run.ts';

/** Whether a text matches; paid for out of the budget of the check that asks. */
export type TextTest = (text: string, run: Run) => boolean;

/** Machine steps of all patterns of one schema, some 60 bytes each. */
const MOST_SIZE = 50_000;

/** A step of a pattern's machine, and to start one, against the steps of a schema: by measurement. */
const STEP_PRICE = 3;
const TEST_PRICE = 30;

/** The patterns of one schema, each compiled once. */
export class MeteredPatterns {
  readonly #bySource = new Map<string, TextTest>();
  #size = 0;

  compile(source: string, refuse: (problem: string) => never): TextTest {
    const known = this.#bySource.get(source);
    if (known !== undefined) return known;
    const test = this.#compile(source, refuse);
    this.#bySource.set(source, test);
    return test;
  }

  #compile(source: string, refuse: (problem: string) => never): TextTest {
    let payer: Run | undefined;
    try {
      const pattern = compilePattern(source, { spend: (steps) => payer?.spend(steps * STEP_PRICE) });
      this.#size += pattern.size;
      if (this.#size > MOST_SIZE) throw new PatternRefused('the patterns of the schema are too large together');
      return (text, run) => {
        payer = run;
        run.spend(TEST_PRICE);
        return pattern.test(text);
      };
    } catch (cause) {
      return refuse(cause instanceof PatternRefused ? `is a pattern that cannot be used: ${cause.reason}` : 'is no pattern');
    }
  }
}
