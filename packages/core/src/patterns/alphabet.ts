/** How many kinds of character a pattern tells apart before it stops remembering them. */
const MAX_KINDS = 256;
/** How many characters beyond ASCII it remembers the kind of. */
const MAX_REMEMBERED = 4_096;

/** How a pattern is read, and who hears what that takes. */
export interface Reading {
  readonly ignoreCase: boolean;
  readonly spend: (steps: number) => void;
}

/** The sets of characters that a pattern names, numbered. */
export interface Sets {
  addCharacter(codePoint: number): number;
  has(source: string): boolean;
  addSet(source: string): number;
  distinguishWords(): void;
}

type CharacterTest = (character: string) => boolean;

/** All characters that are in the same sets: a pattern cannot tell them apart. */
export interface CharacterKind {
  /** Small and dense, so that it can index a table; -1 when there are too many kinds to remember. */
  readonly id: number;
  readonly isWord: boolean;
  /** Whether the set of this number holds them. */
  isIn(set: number): boolean;
}

/**
 * The characters as one pattern sees them: by the sets that it names (`a`, `.`, `\d`, `[^x]`), which are numbered. Whether
 * a character is in a set is asked of the language's own engine, for one character at a time, where it has nothing to
 * go back to: classes, properties and case are then exact by construction.
 */
export class Alphabet implements Sets {
  readonly #ignoreCase: boolean;
  readonly #spend: (steps: number) => void;
  readonly #sets = new Map<string, number>();
  readonly #tests: CharacterTest[] = [];
  #isWord: CharacterTest = () => false;
  readonly #ascii: CharacterKind[] = [];
  readonly #others = new Map<number, CharacterKind>();
  readonly #kinds = new Map<string, CharacterKind>();

  /** `spend` hears how many sets were asked for a character. */
  constructor({ ignoreCase, spend }: Reading) {
    this.#ignoreCase = ignoreCase;
    this.#spend = spend;
  }

  /** Roughly the memory that `forget` sets free. */
  get bytes(): number {
    const sets = this.#tests.length;
    return this.#kinds.size * (2 * sets + 128) + this.#others.size * (sets + 48);
  }

  /** The kinds that it gave before are not to be asked again: their numbers are given anew. */
  forget(): void {
    this.#ascii.length = 0;
    this.#others.clear();
    this.#kinds.clear();
  }

  /** The set of one character, or of all that fold to it when case is ignored. */
  addCharacter(codePoint: number): number {
    const escape = `\\u{${codePoint.toString(16)}}`;
    if (this.#ignoreCase) return this.addSet(escape);
    const character = String.fromCodePoint(codePoint);
    return this.#sets.get(escape) ?? this.#add(escape, (other) => other === character);
  }

  /** Whether the set of this source was added. */
  has(source: string): boolean {
    return this.#sets.has(source);
  }

  /** The set that `source` stands for: a class, an escape, a property or the dot. Throws when the engine knows none such. */
  addSet(source: string): number {
    return this.#sets.get(source) ?? this.#add(source, this.#testOf(source));
  }

  /** Makes the kinds tell word characters from others, which they need not while no `\b` asks. */
  distinguishWords(): void {
    this.#isWord = this.#testOf('\\w');
  }

  kindOf(codePoint: number): CharacterKind {
    if (codePoint < 128) return (this.#ascii[codePoint] ??= this.#tell(codePoint));
    const remembered = this.#others.get(codePoint);
    if (remembered !== undefined) return remembered;
    const kind = this.#tell(codePoint);
    if (this.#others.size >= MAX_REMEMBERED) this.#others.clear();
    this.#others.set(codePoint, kind);
    return kind;
  }

  #add(source: string, test: CharacterTest): number {
    const number = this.#tests.push(test) - 1;
    this.#sets.set(source, number);
    return number;
  }

  #testOf(source: string): CharacterTest {
    const one = new RegExp(`^${source}$`, this.#ignoreCase ? 'iu' : 'u');
    return (character) => one.test(character);
  }

  #tell(codePoint: number): CharacterKind {
    this.#spend(this.#tests.length);
    const character = String.fromCodePoint(codePoint);
    const isWord = this.#isWord(character);
    const answers = Uint8Array.from(this.#tests, (test) => (test(character) ? 1 : 0));
    const signature = `${answers.join('')}${isWord ? 'w' : ''}`;
    const known = this.#kinds.get(signature);
    if (known !== undefined) return known;
    const isRemembered = this.#kinds.size < MAX_KINDS;
    const kind = { id: isRemembered ? this.#kinds.size : -1, isWord, isIn: (set: number) => answers[set] === 1 };
    if (isRemembered) this.#kinds.set(signature, kind);
    return kind;
  }
}

/** An escaped character; a property with its name. */
const ESCAPED = /\\(?:[pP]\{[^{}]*\}|[^])/gu;

/**
 * Sets that no character is held to. The engine makes tables of thousands of ranges for a class with properties: here it is asked for
 * each property alone, which it remembers.
 */
export class CountedSets implements Sets {
  readonly #sources = new Set<string>();

  addCharacter(): number {
    return 0;
  }

  has(source: string): boolean {
    return this.#sources.has(source);
  }

  addSet(source: string): number {
    if (this.#sources.has(source)) return 0;
    for (const [escaped] of source.matchAll(ESCAPED)) if (escaped.length > 2) new RegExp(escaped, 'u');
    this.#sources.add(source);
    return 0;
  }

  distinguishWords(): void {
    // No character is told from another.
  }
}
