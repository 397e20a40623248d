/** An escape, a quantifier of counts, or a character. */
const TOKEN = /\\(?:[pPu]\{[^{}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[^])|\{\d+(?:,\d*)?\}|[^]/gu;
/** An escaped character that is no letter and no digit can only mean itself. */
const ITSELF = /^\\(?<character>[^A-Za-z0-9])$/u;
/** What `u` lets be escaped, since it needs to be. */
const NEEDED = /^\\[\^$\\.*+?()[\]{}|/]$/;
const SET = /^\\[dDsSwWpP]/;

/**
 * Older patterns are none under the `u` flag for what they escape needlessly (`\-`, `\@`, `\_`) and for what they do not
 * escape (`{` and `}` that count nothing, `]`, the dash in `[\w-.]`). That can only mean one thing, and is written here as
 * `u` wants it. What could mean two things stays, and is refused: `\A`, `\h`, `\1`, `a{,5}`, `[^]]`. Without the flag a
 * whole pattern would change its meaning: `[^\p{Cc}]` would let all controls pass.
 */
export function toUnicodeSyntax(source: string): string {
  const tokens = [...source.matchAll(TOKEN)].map(([token]) => token);
  const hasEmptyClass = /\[\^?\]/.test(source);
  let written = '';
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    if (token === '[') {
      const end = findClassEnd(tokens, at);
      written += writeClass(tokens.slice(at, end));
      at = end - 1;
    } else {
      const isPlain = token === '}' || (token === '{' && tokens[at + 1] !== ',') || (token === ']' && !hasEmptyClass);
      written += isPlain ? `\\${token}` : writeCharacter(token);
    }
  }
  return written;
}

/** The place after the bracket that closes the class. */
function findClassEnd(tokens: readonly string[], start: number): number {
  const end = tokens.indexOf(']', start);
  return end < 0 ? tokens.length : end + 1;
}

/** Atoms, and pairs of them with a dash between: a range, unless one of them is a set. */
function writeClass(tokens: readonly string[]): string {
  const start = tokens[1] === '^' ? 2 : 1;
  let written = tokens.slice(0, start).join('');
  for (let at = start; at < tokens.length; at += 1) {
    const [atom = '', dash, other] = tokens.slice(at, at + 3);
    if (dash !== '-' || other === undefined || other === ']') {
      written += writeAtom(atom);
      continue;
    }
    written += writeAtom(atom) + (SET.test(atom) || SET.test(other) ? '\\-' : '-') + writeAtom(other);
    at += 2;
  }
  return written;
}

function writeAtom(token: string): string {
  return token === '-' || token === '\\-' ? '\\-' : writeCharacter(token);
}

function writeCharacter(token: string): string {
  return NEEDED.test(token) ? token : (ITSELF.exec(token)?.groups?.['character'] ?? token);
}
