import { atEach, LOOK, REACH, type Look, type Part } from './look.ts';
import { NAMED_RULES } from './named-rules.ts';
import { compileNamed, type CompiledNamed } from './rule-index.ts';

const MARK = '[REDACTED:secret:';
const [LOWER_CASE, LETTER_A, LETTER_K, LETTER_N, LETTER_Y] = [0x20, 0x61, 0x6b, 0x6e, 0x79];

/** Names that are no long words, or end in the midst of one. */
const NAMES: readonly (readonly [literal: string, rest: RegExp])[] = [
  ['AccountKey', /(?=)/y],
  // Not by the colon before `:_auth`, which is in every line of many texts.
  ['_auth', /Token|(?<=:_auth)/y],
  ['_password', /(?<=:_password)/y],
  ['Pr', /ivateKey|esharedKey/y],
  ['x-api-key', /(?=)/y],
  ['X-A', /pi-Key|PI-K(?:ey|EY)/y],
];

/** Values that are known by the name before them. Holds no text between two looks, but where the last value ended. */
export class NamedValues {
  readonly #rules = compileNamed(NAMED_RULES);
  /** Of the values found from left to right: in a value is no other of the same kind, or a row of names would be read from each. */
  #found = 0;

  /** Before a text is gone through from its beginning. */
  begin(): void {
    this.#found = 0;
  }

  lookAtNames(look: Look): void {
    for (const [literal, rest] of NAMES) {
      this.begin();
      atEach(look, literal, (start, end) => {
        rest.lastIndex = end;
        // With a unit before it: of `:_auth`, the colon belongs to the name.
        if (rest.test(look.text)) this.#lookBehind(look, { start: Math.max(0, start - 1), end: rest.lastIndex });
      });
    }
  }

  /** Names of secrets end in `key` or `authorization`; few words get further than this. */
  lookAtWord(look: Look, start: number, end: number): void {
    const { text } = look;
    const last = text.charCodeAt(end - 1) | LOWER_CASE;
    const isKey = last === LETTER_Y && (text.charCodeAt(end - 3) | LOWER_CASE) === LETTER_K;
    const isHeader = last === LETTER_N && (text.charCodeAt(end - 'authorization'.length) | LOWER_CASE) === LETTER_A;
    if (isKey || isHeader) this.#lookBehind(look, { start, end });
  }

  #lookBehind(look: Look, { start, end }: Part): void {
    // The name of a rule in a mark is no name of a secret.
    if (end <= this.#found || look.text.startsWith(MARK, start - MARK.length)) return;
    look.work.spend(REACH.name);
    const name = look.text.slice(Math.max(start, end - REACH.name), end);
    for (const rule of this.#rules) {
      const value = rule.name.test(name) ? matchValue(look, rule, end) : undefined;
      if (value === undefined) continue;
      look.spans.add(value.start, value.end, rule.id);
      this.#found = value.end;
    }
  }
}

/** Names that can make a secret of the value of a member; others need no second look. */
export function namesSecret(memberName: string): boolean {
  return /(?:key|authorization|^auth|cookie)$/i.test(memberName.length > REACH.name ? memberName.slice(-REACH.name) : memberName);
}

function matchValue({ text, work }: Look, rule: CompiledNamed, nameEnd: number): Part | undefined {
  work.spend(LOOK + REACH.value);
  rule.value.lastIndex = nameEnd;
  const match = rule.value.exec(text);
  const secret = match?.[1];
  if (match === null || secret === undefined || !rule.accepts(secret, match[0])) return undefined;
  const start = rule.value.lastIndex - secret.length;
  if (rule.rest === undefined) return { start, end: rule.value.lastIndex };
  rule.rest.lastIndex = rule.value.lastIndex;
  rule.rest.test(text);
  work.spend(rule.rest.lastIndex - start);
  return { start, end: rule.rest.lastIndex };
}
