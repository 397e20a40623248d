import { toPointer } from '../../../config/pointer.ts';
import type { Json, JsonObject } from '../../../json.ts';
import type { Resource } from './resource.ts';

/** Something that does not fit, in words. */
export interface Finding {
  readonly keyword: string;
  /** Follows the subject in a sentence: `must be string`. */
  readonly problem: string;
  readonly expected: string;
  /** Looked for when it is told, and not before: a value may have more mistakes than anybody is told. */
  readonly hint?: () => Hint | undefined;
  /** Of `type`: the names of the types that fit. */
  readonly types?: readonly string[];
  /** Of `enum` and `const`: the values that fit. */
  readonly allowed?: readonly Json[];
  /** A name that is missing. */
  readonly name?: string;
}

/** What was probably meant. */
export interface Hint {
  /** `did you mean "path"?` */
  readonly text: string;
  /** The name that was meant. */
  readonly name?: string;
}

/** Where findings go. */
export interface Reporter {
  /** True once no more of them are wanted. */
  readonly isFull: boolean;
  /** Hears what is wrong with each branch of a choice. Without it, only what is wrong with the one that was most likely meant. */
  forBranches?(): Reporter;
  add(path: readonly PathKey[], finding: Finding, value: Json): void;
}

export type PathKey = string | number;

export interface PathMark {
  readonly pointer: string;
  readonly value: string;
}

/** The value is too large for the schema, or the schema goes round for ever. */
export class TooMuchWork extends Error {}

/**
 * Steps that one check may take, some eight nanoseconds each: a schema of others may double the work at
 * every reference, or hold each of a million items to each of a thousand branches.
 */
export const MOST_STEPS = 30_000_000;
/** Of an answer, which a server may send as often as it is asked: whatever it is, and what each unit of its JSON brings. */
const [STEPS_OF_ANSWER, STEPS_OF_UNIT] = [6_000_000, 7];
/** Arguments are at most 64 levels deep: more than this is a reference that leads to itself. */
const MOST_NESTED = 1_000;

/** Objects with more names are read once a check. */
const WIDE = 100;

/** What is left to spend on one value, however often it is looked at. */
export class Meter {
  /** The names of wide objects. */
  readonly wide = new Map<JsonObject, readonly string[]>();
  #steps: number;
  /** What brings steps of its own. Not measured before they are needed: few answers are. */
  #answer: Json | undefined;

  constructor(steps = MOST_STEPS) {
    this.#steps = steps;
  }

  static forAnswer(answer: Json): Meter {
    const meter = new Meter(STEPS_OF_ANSWER);
    meter.#answer = answer;
    return meter;
  }

  /** Throws `TooMuchWork` when there is nothing left. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) this.#extend();
  }

  #extend(): void {
    if (this.#answer !== undefined) this.#steps += STEPS_OF_UNIT * JSON.stringify(this.#answer).length;
    this.#answer = undefined;
    if (this.#steps < 0) throw new TooMuchWork();
  }
}

/** One look at one value: what it costs, where it is, and what it found. */
export class Run {
  readonly path: PathKey[] = [];
  /** Schema resources that were entered, outermost first: the dynamic scope. */
  readonly scopes: Resource[] = [];
  /** By place and value: names of properties share the place of their object, and each of them counts. */
  readonly #pathMarks = new Map<string, PathMark>();
  readonly #meter: Meter;
  #reporter: Reporter | undefined;
  #nested = 0;

  constructor(meter: Meter, reporter?: Reporter) {
    this.#meter = meter;
    this.#reporter = reporter;
  }

  /** Throws `TooMuchWork` when there is nothing left to spend. */
  spend(steps: number): void {
    this.#meter.spend(steps);
  }

  /** Own names. To read those of a wide object costs far more than to look at them again. */
  namesOf(value: JsonObject): readonly string[] {
    const known = this.#meter.wide.get(value);
    if (known !== undefined) return known;
    const names = Object.keys(value);
    this.spend(names.length * 4);
    if (names.length > WIDE) this.#meter.wide.set(value, names);
    return names;
  }

  /** True when the resource was pushed: to be handed back to `leave`. */
  enter(resource: Resource): boolean {
    this.spend(1);
    this.#nested += 1;
    if (this.#nested > MOST_NESTED) throw new TooMuchWork();
    if (this.scopes.at(-1) === resource) return false;
    this.scopes.push(resource);
    return true;
  }

  leave(hasPushed: boolean): void {
    this.#nested -= 1;
    if (hasPushed) this.scopes.pop();
  }

  /** After something did not fit: whether the rest is to be looked at. */
  get goesOn(): boolean {
    return this.#reporter !== undefined && !this.#reporter.isFull;
  }

  get reporter(): Reporter | undefined {
    return this.#reporter;
  }

  /** Always false, so that a keyword can end with it. */
  fail(value: Json, describe: () => Finding): false {
    if (this.goesOn) {
      // To put it down costs far more than to see it.
      this.spend(100 + this.path.length * 8);
      this.#reporter?.add(this.path, describe(), value);
    }
    return false;
  }

  /** Looks at something of which only the answer counts, or whose findings go elsewhere. */
  with(reporter: Reporter | undefined, look: () => boolean): boolean {
    this.spend(2);
    const before = this.#reporter;
    this.#reporter = reporter;
    const fits = look();
    this.#reporter = before;
    return fits;
  }

  markPath(value: string): void {
    this.spend(100 + this.path.length * 4 + (value.length >> 4));
    const pointer = toPointer(this.path.map(String));
    this.#pathMarks.set(`${pointer}\0${value}`, { pointer, value });
  }

  /** Each place once, however many schemas looked at it. */
  get pathMarks(): readonly PathMark[] {
    return [...this.#pathMarks.values()];
  }
}
