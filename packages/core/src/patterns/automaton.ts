import type { CharacterKind } from './alphabet.ts';
import { type Program, STEP } from './program.ts';

/** Steps of a program, each once, in the order in which they came. Emptied in no time. */
export class StepList {
  readonly #steps: Int32Array;
  /** The round in which a step last came. */
  readonly #cameIn: Uint32Array;
  #round: number;
  #count = 0;

  /** `size` is the number of steps of the program; rounds are counted from 1 on. */
  constructor(size: number, round = 1) {
    this.#round = round;
    this.#steps = new Int32Array(size);
    this.#cameIn = new Uint32Array(size);
  }

  get count(): number {
    return this.#count;
  }

  at(index: number): number {
    return this.#steps[index] ?? 0;
  }

  add(step: number): void {
    if (this.#cameIn[step] === this.#round) return;
    this.#cameIn[step] = this.#round;
    this.#steps[this.#count] = step;
    this.#count += 1;
  }

  clear(): void {
    this.#count = 0;
    this.#round += 1;
    // The rounds are used up after four thousand million characters: then all of them begin anew.
    if (this.#round > 0xffff_fffe) {
      this.#cameIn.fill(0);
      this.#round = 1;
    }
  }

  toArray(): Int32Array {
    return this.#steps.slice(0, this.#count);
  }
}

/** Steps and answers of the deterministic machine that one test may make: some hundred kilobytes. */
const MAX_MADE = 32_768;
/** Of these, what is kept for the next test, for a registry holds thousands of patterns; and bytes of the alphabet. */
const MAX_KEPT = 4_096;
const MAX_KEPT_ALPHABET = 40_000;
/** What a state weighs beside its steps and answers. */
const STATE_WEIGHT = 16;
/** How often a long test says what it has spent. */
const STEPS_TO_REPORT = 10_000;

type Before = 'start' | 'word' | 'other';
type After = 'end' | 'word' | 'other';

/** Where all of Thompson's machine can be after some text. */
interface State {
  readonly steps: Int32Array;
  readonly before: Before;
  /** By the kind of the next character. Undefined in a state that is not remembered. */
  readonly next: (State | undefined)[] | undefined;
}

const ACCEPTED: State = { steps: new Int32Array(), before: 'other', next: undefined };

/**
 * Thompson's simulation, with the states that it meets remembered (a lazy deterministic automaton). A character costs at
 * most as many steps as the program has, whatever the text and whatever is remembered; memory is bounded.
 */
export class Automaton {
  readonly #program: Program;
  readonly #spend: (steps: number) => void;
  readonly #reached: StepList;
  readonly #successors: StepList;
  readonly #states = new Map<string, State>();
  #made = 0;
  #first: State | undefined;
  #steps = 0;

  constructor(program: Program, spend: (steps: number) => void) {
    this.#program = program;
    this.#spend = spend;
    this.#reached = new StepList(program.kinds.length);
    this.#successors = new StepList(program.kinds.length);
  }

  /** Whether some part of the text fits. What `spend` throws ends it. */
  test(text: string): boolean {
    try {
      const answer = this.#run(text);
      this.#report();
      return answer;
    } finally {
      if (this.#made > MAX_KEPT || this.#program.alphabet.bytes > MAX_KEPT_ALPHABET) this.#forget();
    }
  }

  #run(text: string): boolean {
    const { alphabet, start } = this.#program;
    let state = (this.#first ??= this.#stateOf(Int32Array.of(start), 'start'));
    for (let at = 0; at < text.length; ) {
      const point = text.codePointAt(at) ?? 0;
      at += point > 0xffff ? 2 : 1;
      this.#steps += 1;
      const kind = alphabet.kindOf(point);
      state = state.next?.[kind.id] ?? this.#advance(state, kind);
      if (state === ACCEPTED) return true;
      if (state.steps.length === 0) return false;
    }
    return this.#reach(state, 'end') === 'accept';
  }

  #advance(state: State, kind: CharacterKind): State {
    const next = this.#successor(state, kind);
    this.#remember(state, kind, next);
    if (this.#steps > STEPS_TO_REPORT) this.#report();
    return next;
  }

  #remember({ next: answers }: State, { id }: CharacterKind, answer: State): void {
    const isKept = answer === ACCEPTED || answer.next !== undefined;
    if (answers === undefined || id < 0 || !isKept || this.#made > MAX_MADE) return;
    // An array has room for all that come before.
    this.#made += Math.max(0, id + 1 - answers.length);
    answers[id] = answer;
  }

  #successor(state: State, kind: CharacterKind): State {
    const { kinds, next, other, start, anchored } = this.#program;
    const before = kind.isWord ? 'word' : 'other';
    if (this.#reach(state, before) === 'accept') return ACCEPTED;
    const successors = this.#successors;
    successors.clear();
    for (let index = 0; index < this.#reached.count; index += 1) {
      const step = this.#reached.at(index);
      if (kinds[step] === STEP.character && kind.isIn(other[step] ?? 0)) successors.add(next[step] ?? 0);
    }
    if (!anchored) successors.add(start);
    return this.#stateOf(successors.toArray(), before);
  }

  /** Fills `reached` with the steps that a state can come to without a character, between the two around it. */
  #reach({ steps, before }: Pick<State, 'steps' | 'before'>, after: After): 'accept' | 'more' {
    const { kinds, next, other } = this.#program;
    const reached = this.#reached;
    reached.clear();
    for (const step of steps) reached.add(step);
    // The list grows while it is walked.
    for (let index = 0; index < reached.count; index += 1) {
      const step = reached.at(index);
      const kind = kinds[step] ?? STEP.accept;
      this.#steps += 1;
      if (kind === STEP.accept) return 'accept';
      if (kind === STEP.fork) reached.add(other[step] ?? 0);
      if (kind === STEP.fork || holds(kind, before, after)) reached.add(next[step] ?? 0);
    }
    return 'more';
  }

  #stateOf(steps: Int32Array, before: Before): State {
    if (this.#made > MAX_MADE) return { steps, before, next: undefined };
    const name = `${before} ${steps.toSorted().join(' ')}`;
    const known = this.#states.get(name);
    if (known !== undefined) return known;
    const made: State = { steps, before, next: [] };
    this.#states.set(name, made);
    this.#made += steps.length + STATE_WEIGHT;
    return made;
  }

  #report(): void {
    const steps = this.#steps;
    this.#steps = 0;
    this.#spend(steps);
  }

  #forget(): void {
    this.#program.alphabet.forget();
    this.#states.clear();
    this.#first = undefined;
    this.#made = 0;
  }
}

/** Whether one goes on from an assertion at this place. Never from a character step. */
function holds(kind: number, before: Before, after: After): boolean {
  switch (kind) {
    case STEP.start:
      return before === 'start';
    case STEP.end:
      return after === 'end';
    case STEP.boundary:
      return (before === 'word') !== (after === 'word');
    case STEP.noBoundary:
      return (before === 'word') === (after === 'word');
    default:
      return false;
  }
}
