import { compilePattern, measurePattern, type LinearPattern } from '../../../patterns/compile-pattern.ts';
import { PatternRefused } from '../../../patterns/pattern-refused.ts';
import type { Run } from './run.ts';

/** Whether a text matches; paid for out of the budget of the check that asks. */
export type TextTest = (text: string, run: Run) => boolean;

/** Machine steps of all patterns of one schema, some 60 bytes each. */
const MOST_SIZE = 50_000;

/** A step of a pattern's machine, and to start one, against the steps of a schema: by measurement. */
const STEP_PRICE = 2;
const TEST_PRICE = 12;

/** The sizes of patterns by their source. What is made throws when it cannot be made. */
export interface PatternSizes {
  getOrMake(source: string, make: () => number): number;
}

/**
 * The patterns of one schema. Each is measured when the schema is read, and compiled with the first text: a server may list
 * thousands of tools that nobody calls, with patterns of ten thousand steps.
 */
export class MeteredPatterns {
  readonly #bySource = new Map<string, TextTest>();
  readonly #sizes: PatternSizes;
  #size = 0;

  readonly #compilePattern: typeof compilePattern;

  /** @param sizes those that are known from other schemas */
  constructor(sizes: PatternSizes, compile = compilePattern) {
    this.#sizes = sizes;
    this.#compilePattern = compile;
  }

  compile(source: string, refuse: (problem: string) => never): TextTest {
    const known = this.#bySource.get(source);
    if (known !== undefined) return known;
    const test = this.#compile(source, refuse);
    this.#bySource.set(source, test);
    return test;
  }

  #compile(source: string, refuse: (problem: string) => never): TextTest {
    try {
      this.#size += this.#sizes.getOrMake(source, () => measurePattern(source));
      if (this.#size > MOST_SIZE) throw new PatternRefused('the patterns of the schema are too large together');
      return this.#createTest(source);
    } catch (cause) {
      return refuse(cause instanceof PatternRefused ? `is a pattern that cannot be used: ${cause.reason}` : 'is no pattern');
    }
  }

  #createTest(source: string): TextTest {
    let payer: Run | undefined;
    let pattern: LinearPattern | undefined;
    return (text, run) => {
      payer = run;
      run.spend(TEST_PRICE);
      pattern ??= this.#compilePattern(source, { spend: (steps) => payer?.spend(steps * STEP_PRICE) });
      return pattern.test(text);
    };
  }
}
