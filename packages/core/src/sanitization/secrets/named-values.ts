import { SHORTEST_WORD } from './long-words.ts';
import { atEach, LOOK, REACH, type Look, type Part } from './look.ts';
import { NAMED_RULES } from './named-rules.ts';
import { compileNamed, type CompiledNamed } from './rule-index.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';

/** Steps of asking all rules whether a name is theirs. */
const RULES_LOOK = 80;
const MARK = '[REDACTED:secret:';
/** As in long words. */
const IN_WORD = /[\w-]/;
const [LOWER_CASE, LETTER_A, LETTER_K, LETTER_N, LETTER_Y] = [0x20, 0x61, 0x6b, 0x6e, 0x79];

/**
 * Names of rules that can be no long words. By `key`, which is rare, and then by what stands before it: in files of JSON it is
 * in every line, and most of these are nothing else.
 */
const SHORT_NAMES = /key(?![\w-])(?<=(?:aws[_-]?secret|account|storage|shared|primary|secondary|private|x-(?:[a-z]{1,3}-)?api)[_-]?key)/gi;

/** At the beginning of a line or a member, or `:_auth` of a registry. Not by the colon, which is in every line of many texts. */
const NPM_NAMES: readonly (readonly [literal: string, rest: RegExp])[] = [
  ['_auth', /Token|(?<=(?:^|[\s"'`:;,{])_auth)/y],
  ['_password', /(?<=:_password)/y],
];

/** All that `lookAtNames` looks for. */
export const SOUGHT_NAMES: readonly (string | RegExp)[] = [SHORT_NAMES, ...NPM_NAMES.map(([literal]) => literal)];

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
    this.begin();
    atEach(look, SHORT_NAMES, (_, end) => this.#lookBehindShortName(look, end));
    for (const [literal, rest] of NPM_NAMES) {
      this.begin();
      atEach(look, literal, (start, end) => {
        rest.lastIndex = end;
        // With a unit before it: of `:_auth`, the colon belongs to the name.
        if (rest.test(look.text)) this.#lookBehind(look, { start: Math.max(0, start - 1), end: rest.lastIndex });
      });
    }
  }

  /** Long words are looked at as such, the names of rules in marks among them. */
  #lookBehindShortName(look: Look, end: number): void {
    let start = end;
    while (end - start < SHORTEST_WORD && IN_WORD.test(look.text.charAt(start - 1))) start -= 1;
    look.work.spend(end - start);
    if (end - start < SHORTEST_WORD) this.#lookBehind(look, { start, end });
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
    look.work.spend(RULES_LOOK);
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
  return /(?:key|token|secret|password|passwd|authorization|^auth|cookie)$/i.test(memberName.length > REACH.name ? memberName.slice(-REACH.name) : memberName);
}

function matchValue(look: Look, rule: CompiledNamed, nameEnd: number): Part | undefined {
  const { text, work, seams } = look;
  const found = matchValueIn(text, rule, { nameEnd, work });
  if (found !== undefined || seams === undefined) return found;
  // As if the text ended where something was taken out of it: the value may be glued to what is behind it, and parted within.
  for (const last of seams.between(nameEnd, nameEnd + REACH.pair)) {
    const part = matchValueIn(text.slice(0, last), rule, { nameEnd, work });
    if (part !== undefined) return part;
  }
  return undefined;
}

function matchValueIn(text: string, rule: CompiledNamed, { nameEnd, work }: { readonly nameEnd: number; readonly work: WorkBudget }): Part | undefined {
  work.spend(LOOK + REACH.value / 2);
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
