import { beginsAsHeader, endOfJsonWebToken } from './json-web-token.ts';
import { JOINED_RULES } from './joined-rules.ts';
import { LongWords } from './long-words.ts';
import { NAMED_RULES } from './named-rules.ts';
import { findNetrcPasswords, passwordInUrl, signatureInUrl } from './passwords.ts';
import { keyBody, PRIVATE_KEY, privateKeyBody } from './private-keys.ts';
import { compileJoined, compileNamed, escapeInto, TokenIndex, type CompiledNamed, type CompiledToken } from './rule-index.ts';
import { TOKEN_RULES } from './rules.ts';
import { SecretSpans } from './secret-spans.ts';
import type { WorkBudget } from './work-budget.ts';

/** Steps of a look that ends at once. */
const LOOK = 8;
/** Units that a look of this kind sees at most, before it is known whether something is there. */
const REACH = { header: 1_024, token: 128, before: 80, name: 32, value: 160, url: 400 };
const PRIVATE_LINES = 'Private-Lines';
const MARK = '[REDACTED:secret:';
const [HYPHEN, UNDERSCORE, LOWER_CASE] = [0x2d, 0x5f, 0x20];
const [LETTER_A, LETTER_K, LETTER_N, LETTER_Y] = [0x61, 0x6b, 0x6e, 0x79];

interface Look {
  readonly text: string;
  readonly spans: SecretSpans;
  readonly work: WorkBudget;
}

interface Part {
  readonly start: number;
  readonly end: number;
}

/** Finds what the rules name. Holds a buffer and compiled rules, and no text between two looks. */
export class SecretScanner {
  readonly #words = new LongWords();
  readonly #tokens = new TokenIndex(TOKEN_RULES);
  readonly #joined = compileJoined(JOINED_RULES);
  readonly #named = compileNamed(NAMED_RULES);

  /** @throws DevsError `OUTPUT_WITHHELD` when the work is more than the budget */
  scan(text: string, work: WorkBudget): SecretSpans {
    const look = { text, spans: new SecretSpans(), work };
    this.#words.visit(text, (start, end) => this.#lookAtWord(look, { start, end }));
    atEach(look, '://', (at) => add(look, 'url-password', { found: passwordInUrl(text, at), reach: REACH.url }));
    atEach(look, '&sig=', (at) => add(look, 'azure-sas-signature', { found: signatureInUrl(text, at), reach: LOOK }));
    atEach(look, '?sig=', (at) => add(look, 'azure-sas-signature', { found: signatureInUrl(text, at), reach: LOOK }));
    atEach(look, '&amp;sig=', (at) => add(look, 'azure-sas-signature', { found: signatureInUrl(text, at), reach: LOOK }));
    atEach(look, PRIVATE_KEY, (at) => add(look, 'private-key', { found: privateKeyBody(text, at), reach: REACH.before }));
    for (const name of ['AccountKey', '_authToken', ':_auth']) atEach(look, name, (at) => this.#lookAtValue(look, { start: at, end: at + name.length }));
    findNetrcPasswords(text, look.spans);
    return look.spans;
  }

  #lookAtWord(look: Look, word: Part): void {
    look.work.spend(word.end - word.start);
    this.#lookBefore(look, word);
    this.#lookForTokens(look, word);
    this.#lookAtName(look, word);
  }

  /** A token begins at the word's first unit, and after each `_` and `-` in it. */
  #lookForTokens(look: Look, word: Part): void {
    const { text } = look;
    const escaped = word.start + escapeInto(text, word.start);
    // What stands before a word is no letter and no digit, or it would belong to the word.
    let edge = true;
    for (let at = word.start; at < word.end; ) {
      const end = edge || at === escaped ? this.#endOfToken(look, { start: at, end: word.end }) : undefined;
      at = end ?? at + 1;
      const before = text.charCodeAt(at - 1);
      edge = before === UNDERSCORE || before === HYPHEN;
    }
  }

  /** Notes the token that begins here, and gives its end. */
  #endOfToken(look: Look, part: Part): number | undefined {
    const { text, work } = look;
    if (beginsAsHeader(text, part.start)) {
      work.spend(part.end - part.start > REACH.header ? LOOK : part.end - part.start);
      const end = endOfJsonWebToken(text, { start: part.start, wordEnd: part.end });
      if (end !== undefined) {
        work.spend(end - part.end);
        return this.#note(look, { start: part.start, end }, 'json-web-token');
      }
    }
    for (const token of this.#tokens.at(text, part.start) ?? []) {
      const end = matchToken(look, token, part);
      if (end !== undefined) return this.#note(look, { start: part.start, end }, token.id);
    }
    return undefined;
  }

  /** What is glued to the end of a token goes with it: once there is a mark, nobody could tell what else it was. */
  #note({ text, spans }: Look, { start, end }: Part, rule: string): number {
    const isGlued = /[A-Za-z0-9]/.test(text[end] ?? '') && /[A-Za-z0-9]/.test(text[end - 1] ?? '');
    const noted = isGlued ? this.#words.endOfWord(text, end) : end;
    spans.add(start, noted, rule);
    return noted;
  }

  /** What stands before the word tells what it is: `SG.`, `123456789:`, `…/services/T0/B0/`. */
  #lookBefore(look: Look, word: Part): void {
    const { text, work } = look;
    const joined = this.#joined.get(text[word.start - 1] ?? '');
    if (joined === undefined) return;
    work.spend(REACH.before);
    joined.pattern.lastIndex = word.start;
    const match = joined.pattern.exec(text);
    if (match === null) return;
    work.spend(match[0].length);
    const index = match.findIndex((group, at) => at > 0 && group !== undefined);
    const rule = joined.rules[index - 1];
    if (rule === undefined) return;
    const before = rule.masks === 'whole' ? (match[index] ?? '').length : 0;
    this.#note(look, { start: word.start - before, end: joined.pattern.lastIndex }, rule.id);
  }

  /** Names of secrets end in `key` or `authorization`; few words get further than this. */
  #lookAtName(look: Look, word: Part): void {
    const { text } = look;
    const { end } = word;
    const last = text.charCodeAt(end - 1) | LOWER_CASE;
    if (last === LETTER_Y && (text.charCodeAt(end - 3) | LOWER_CASE) === LETTER_K) this.#lookAtValue(look, word);
    else if (last === LETTER_N && (text.charCodeAt(end - 'authorization'.length) | LOWER_CASE) === LETTER_A) this.#lookAtValue(look, word);
    else if (text.startsWith(PRIVATE_LINES, end - PRIVATE_LINES.length)) lookAtPrivateLines(look, end);
  }

  /** A name, and the value after it. */
  #lookAtValue(look: Look, { start, end }: Part): void {
    // The name of a rule in a mark is no name of a secret.
    if (look.text.startsWith(MARK, start - MARK.length)) return;
    look.work.spend(REACH.name);
    const name = look.text.slice(Math.max(start, end - REACH.name), end);
    for (const rule of this.#named) {
      const value = rule.name.test(name) ? matchNamed(look, rule, end) : undefined;
      if (value !== undefined) look.spans.add(value.start, value.end, rule.id);
    }
  }
}

function atEach({ text, work }: Look, literal: string, look: (at: number) => void): void {
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + literal.length)) {
    work.spend(LOOK);
    look(at);
  }
}

function add({ spans, work }: Look, rule: string, { found, reach }: { found: Part | undefined; reach: number }): void {
  work.spend(reach);
  if (found === undefined) return;
  work.spend(found.end - found.start);
  spans.add(found.start, found.end, rule);
}

function matchToken({ text, work }: Look, token: CompiledToken, part: Part): number | undefined {
  if (!text.startsWith(token.prefix, part.start)) return undefined;
  work.spend(LOOK + Math.min(REACH.token, part.end - part.start));
  const start = part.start + token.prefix.length;
  token.body.lastIndex = start;
  if (!token.body.test(text)) return undefined;
  const end = token.body.lastIndex;
  if (!token.accepts(text.slice(start, end))) return undefined;
  if (token.rest === undefined) return end;
  token.rest.lastIndex = end;
  token.rest.test(text);
  work.spend(token.rest.lastIndex - end);
  return token.rest.lastIndex;
}

function matchNamed({ text, work }: Look, rule: CompiledNamed, nameEnd: number): Part | undefined {
  work.spend(REACH.value);
  rule.value.lastIndex = nameEnd;
  const match = rule.value.exec(text);
  const secret = match?.[1];
  if (match === null || secret === undefined) return undefined;
  work.spend(match[0].length);
  return rule.accepts(secret, match[0]) ? { start: rule.value.lastIndex - secret.length, end: rule.value.lastIndex } : undefined;
}

/** `Private-Lines: 14` of a PuTTY key: the lines after it are the key. */
function lookAtPrivateLines(look: Look, nameEnd: number): void {
  const count = /^: \d{1,4}/.exec(look.text.slice(nameEnd, nameEnd + 6))?.[0];
  if (count !== undefined) add(look, 'private-key', { found: keyBody(look.text, nameEnd + count.length), reach: LOOK });
}
