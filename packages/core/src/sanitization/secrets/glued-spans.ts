import { SecretSpans } from './secret-spans.ts';

/** Units before a secret in which another may end where it begins. */
const NEAR = 256;
/** What may not stand right behind a token, of all that the rules say. */
const GLUE = /[\w/+=.~-]/;
const IN_WORD = /[A-Za-z0-9]/;

interface GluedPiece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Also what ends where something else was found: `…-ATATT…` is a token with something glued to it before there is a mark,
 * and a token beside one behind it. A second look at a cleaned text must not find more than the first.
 */
export function withGlued(spans: SecretSpans, text: string, scan: (piece: string) => SecretSpans): SecretSpans {
  if (spans.count === 0) return spans;
  const glued = new SecretSpans();
  let from = 0;
  for (const { start, end } of spans) {
    lookBefore({ text, from: Math.max(from, start - NEAR), to: start }, { isCut: start - NEAR > from, glued, scan });
    from = end;
  }
  for (const { start, end, rule } of glued) spans.add(start, end, rule);
  return spans;
}

interface Looking {
  /** True when a word may go on before the piece. */
  readonly isCut: boolean;
  readonly glued: SecretSpans;
  readonly scan: (piece: string) => SecretSpans;
}

function lookBefore({ text, from, to }: GluedPiece, { isCut, glued, scan }: Looking): void {
  if (to <= from || !GLUE.test(text.charAt(to - 1))) return;
  let begin = from;
  // Only a letter or a digit before it is no edge: behind `key=` a token may begin that goes on to the secret.
  if (isCut) while (begin < to && IN_WORD.test(text.charAt(begin - 1))) begin += 1;
  // An escape is an edge as a whole: of `\nAAAA…`, the `n` alone would hide what follows it.
  if (isCut && text[begin - 1] === '\\') begin -= 1;
  for (const found of scan(text.slice(begin, to))) {
    glued.add(begin + found.start, begin + found.end, found.rule);
    lookBefore({ text, from: begin, to: begin + found.start }, { isCut: false, glued, scan });
  }
}
