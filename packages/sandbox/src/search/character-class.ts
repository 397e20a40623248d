/** First and last code point. */
type Range = readonly [number, number];

interface ParsedClass {
  readonly piece: (character: string) => boolean;
  /** Index of what follows the class. */
  readonly next: number;
}

interface Part {
  readonly ranges: readonly Range[];
  readonly next: number;
}

/** The classes that have a name, in ASCII, as git has them: the first and last character of each range. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['alnum', '09AZaz'],
  ['alpha', 'AZaz'],
  ['blank', '\t\t  '],
  ['cntrl', '\0\x1f\x7f\x7f'],
  ['digit', '09'],
  ['graph', '!~'],
  ['lower', 'az'],
  ['print', ' ~'],
  ['punct', '!/:@[`{~'],
  ['space', '\t\r  '],
  ['upper', 'AZ'],
  ['xdigit', '09AFaf'],
]);

/** Parses `[a-z]`, `[!a-z]`, `[^a]`, `[]a]`, `[[:digit:]]`, with `\` before any character. Undefined without its end, or with an unknown name. */
export function parseClass(characters: readonly string[], start: number): ParsedClass | undefined {
  const negated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const ranges: Range[] = [];
  for (let index = first; index < characters.length; ) {
    // The first one is a character of the class.
    if (characters[index] === ']' && index > first) {
      const piece = (character: string) => isIn(ranges, character) !== negated;
      return { piece, next: index + 1 };
    }
    const name = nameAt(characters, index);
    const part = name === undefined ? parseRange(characters, index) : parseNamed(name, index);
    if (part === undefined) return undefined;
    ranges.push(...part.ranges);
    index = part.next;
  }
  return undefined;
}

function isIn(ranges: readonly Range[], character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return ranges.some(([from, to]) => from <= point && point <= to);
}

function nameAt(characters: readonly string[], start: number): string | undefined {
  // No class has a longer name: what is looked at is bounded.
  return /^\[:([a-z]+):\]/.exec(characters.slice(start, start + 12).join(''))?.[1];
}

function parseNamed(name: string, start: number): Part | undefined {
  const ends = NAMED.get(name);
  if (ends === undefined) return undefined;
  const points = Array.from(ends, (character) => character.codePointAt(0) ?? 0);
  const ranges = points.flatMap((from, index): Range[] => (index % 2 === 0 ? [[from, points[index + 1] ?? from]] : []));
  return { ranges, next: start + name.length + '[::]'.length };
}

/** One character, or `a-z`. A `-` before the end of the class is itself. */
function parseRange(characters: readonly string[], start: number): Part | undefined {
  const from = parseCharacter(characters, start);
  if (from === undefined) return undefined;
  const end = characters[from.next + 1];
  if (characters[from.next] !== '-' || end === undefined || end === ']') {
    return { ranges: [[from.point, from.point]], next: from.next };
  }
  const to = parseCharacter(characters, from.next + 1);
  // As git has it, the first one fits also where the range is the wrong way round.
  return to && { ranges: [[from.point, from.point], [from.point, to.point]], next: to.next };
}

function parseCharacter(characters: readonly string[], start: number): { point: number; next: number } | undefined {
  const index = characters[start] === '\\' ? start + 1 : start;
  const point = characters[index]?.codePointAt(0);
  return point === undefined ? undefined : { point, next: index + 1 };
}
