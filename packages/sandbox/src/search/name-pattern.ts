import { parseClass } from './character-class.ts';
import { takesAll, type Effort, type Piece } from './wildcard.ts';

/** Judges one name of a path. */
export type NamePattern = (name: string, effort: Effort) => boolean;

interface Parsed {
  readonly piece: Piece<string>;
  /** The only character that the piece takes, if there is only one. */
  readonly plain?: string;
  /** Index of what follows. */
  readonly next: number;
}

/**
 * Compiles one segment of a pattern as git understands it: `*`, `?`, `[a-z]`, `[!a-z]`, `\` before any
 * character. Undefined when it can fit no name: a class without its end, a `\` before nothing.
 */
export function compileName(source: string): NamePattern | undefined {
  const characters = Array.from(source);
  const pieces: Piece<string>[] = [];
  let plain: string | undefined = '';
  for (let index = 0; index < characters.length; ) {
    const parsed = parsePiece(characters, index);
    if (parsed === undefined) return undefined;
    pieces.push(parsed.piece);
    plain = plain === undefined || parsed.plain === undefined ? undefined : plain + parsed.plain;
    index = parsed.next;
  }
  if (plain === undefined) return (name, effort) => takesAll(pieces, Array.from(name), effort);
  return (name, effort) => {
    effort.spend();
    return name === plain;
  };
}

function parsePiece(characters: readonly string[], index: number): Parsed | undefined {
  const character = characters[index];
  if (character === '*') return { piece: 'run', next: index + 1 };
  if (character === '?') return { piece: () => true, next: index + 1 };
  if (character === '[') return parseClass(characters, index);
  if (character === '\\') return toPlain(characters[index + 1], index + 2);
  return toPlain(character, index + 1);
}

function toPlain(plain: string | undefined, next: number): Parsed | undefined {
  return plain === undefined ? undefined : { piece: (character) => character === plain, plain, next };
}
