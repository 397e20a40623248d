import type { AST } from '@eslint-community/regexpp';
import { Alphabet, CountedSets, type Reading, type Sets } from './alphabet.ts';
import { PatternRefused } from './pattern-refused.ts';

/** What each Unicode property in a set counts: the engine takes some two milliseconds to make its table. */
const PROPERTY_WEIGHT = 250;

/** What a step does; in a table, so that walking thousands of them touches little memory. */
export const STEP = { character: 0, fork: 1, start: 2, end: 3, boundary: 4, noBoundary: 5, accept: 6 } as const;
type StepKind = (typeof STEP)[keyof typeof STEP];

/** Thompson's machine, a step a row. Only a character step takes a character. */
export interface Program {
  readonly kinds: Uint8Array;
  /** The next step. */
  readonly next: Int32Array;
  /** The other next step of a fork; the set of a character step. */
  readonly other: Int32Array;
  readonly start: number;
  /** Whether it is of use to begin at the start of a text alone. */
  readonly anchored: boolean;
  /** How many steps it has, and what its sets weigh: the most that one character of a text can cost. */
  readonly size: number;
  readonly alphabet: Alphabet;
}

/** What a program takes: one of the sequences, anywhere in the text or, `anchored`, at its start alone. */
export interface Wanted {
  readonly sequences: readonly (readonly AST.Element[])[];
  readonly anchored: boolean;
}

/** Throws `PatternRefused` for what cannot be run in linear time, and for what takes more than `mostSteps`. */
export function buildProgram({ sequences, anchored }: Wanted, reading: Reading, mostSteps: number): Program {
  const alphabet = new Alphabet(reading);
  const builder = new ProgramBuilder(alphabet, mostSteps);
  const start = buildSteps(builder, { sequences, anchored });
  return builder.finish(alphabet, start, anchored || sequences.every(([first]) => first?.type === 'Assertion' && first.kind === 'start'));
}

/** The size of the program, without making it. Throws as `buildProgram` does. */
export function measureProgram(wanted: Wanted, mostSteps: number): number {
  const builder = new ProgramBuilder(new CountedSets(), mostSteps);
  buildSteps(builder, wanted);
  return builder.size;
}

function buildSteps(builder: ProgramBuilder, { sequences, anchored }: Wanted): number {
  const body = builder.choice(sequences, builder.add(STEP.accept, 0));
  return anchored ? builder.add(STEP.start, body) : body;
}

/** Builds from the end, so that the next step is there when one is made. Whether a repetition is lazy changes no answer. */
class ProgramBuilder {
  readonly #sets: Sets;
  readonly #mostSteps: number;
  readonly #kinds: StepKind[] = [];
  readonly #next: number[] = [];
  readonly #other: number[] = [];
  #size = 0;

  constructor(sets: Sets, mostSteps: number) {
    this.#sets = sets;
    this.#mostSteps = mostSteps;
  }

  finish(alphabet: Alphabet, start: number, anchored: boolean): Program {
    return {
      kinds: Uint8Array.from(this.#kinds),
      next: Int32Array.from(this.#next),
      other: Int32Array.from(this.#other),
      start,
      anchored,
      size: this.#size,
      alphabet,
    };
  }

  get size(): number {
    return this.#size;
  }

  add(kind: StepKind, next: number, other = 0): number {
    this.#count();
    this.#next.push(next);
    this.#other.push(other);
    return this.#kinds.push(kind) - 1;
  }

  choice(sequences: readonly (readonly AST.Element[])[], next: number): number {
    const starts = sequences.map((elements) => this.#sequence(elements, next));
    return starts.reduceRight((second, first) => this.add(STEP.fork, first, second));
  }

  #sequence(elements: readonly AST.Element[], next: number): number {
    return elements.reduceRight((after, element) => this.#element(element, after), next);
  }

  #element(element: AST.Element, next: number): number {
    switch (element.type) {
      case 'Character':
        return this.add(STEP.character, next, this.#sets.addCharacter(element.value));
      case 'CharacterSet':
      case 'CharacterClass':
        return this.add(STEP.character, next, this.#setOf(element.raw));
      case 'Group':
        if (element.modifiers !== null) throw new PatternRefused('it changes its flags on the way');
        return this.choice(element.alternatives.map(({ elements }) => elements), next);
      case 'CapturingGroup':
        return this.choice(element.alternatives.map(({ elements }) => elements), next);
      case 'Quantifier':
        return this.#repetition(element, next);
      case 'Assertion':
        return this.#assertion(element, next);
      case 'Backreference':
        throw new PatternRefused('it refers back to a group, which takes exponential time');
      default:
        throw new PatternRefused('it has a part that devs does not know');
    }
  }

  #assertion(element: AST.Assertion, next: number): number {
    switch (element.kind) {
      case 'start':
      case 'end':
        return this.add(STEP[element.kind], next);
      case 'word':
        this.#sets.distinguishWords();
        return this.add(element.negate ? STEP.noBoundary : STEP.boundary, next);
      case 'lookbehind':
        throw new PatternRefused('it looks behind');
      default:
        throw new PatternRefused('it looks ahead elsewhere than right after the ^ that it begins with');
    }
  }

  /** The repetitions that must be, then those that may be. */
  #repetition({ element, min, max }: AST.Quantifier, next: number): number {
    let start = max === Infinity ? this.#loop(element, next) : next;
    const optional = max === Infinity ? 0 : max - min;
    for (let copies = 0; copies < optional; copies += 1) start = this.add(STEP.fork, this.#element(element, start), next);
    for (let copies = 0; copies < min; copies += 1) {
      const sizeBefore = this.#size;
      start = this.#element(element, start);
      // A copy of nothing makes no step, and counts all the same: `(?:){1000000000}`.
      if (this.#size === sizeBefore) this.#count();
    }
    return start;
  }

  #loop(element: AST.Element, next: number): number {
    const fork = this.add(STEP.fork, next, next);
    this.#next[fork] = this.#element(element, fork);
    return fork;
  }

  #setOf(source: string): number {
    // Before the engine is asked: it makes the tables while it reads.
    if (!this.#sets.has(source)) this.#count(countProperties(source) * PROPERTY_WEIGHT);
    try {
      return this.#sets.addSet(source);
    } catch (cause) {
      throw new PatternRefused('it names characters that this version of the language does not know', cause);
    }
  }

  #count(weight = 1): void {
    this.#size += weight;
    if (this.#size > this.#mostSteps) throw new PatternRefused('it is too large with its repetitions written out');
  }
}

/** At least as many as there are: a backslash that is escaped may stand before a `p`. */
function countProperties(source: string): number {
  return source.split(/\\p/i).length - 1;
}
