import type { SeamCursor } from '../seams.ts';
import { GO_ADDRESSES, passwordInGoAddress, passwordInSettings } from './connection-strings.ts';
import { beginsAsHeader, endOfJsonWebToken } from './json-web-token.ts';
import { JOINED_RULES } from './joined-rules.ts';
import { LongWords } from './long-words.ts';
import { add, atEach, LOOK, REACH, type Look, type Part } from './look.ts';
import { NamedValues } from './named-values.ts';
import { netrcPassword } from './netrc.ts';
import { PASSWORD_NAME, passwordInUrl, SIGNATURES, signatureInUrl } from './passwords.ts';
import { keyBody, PRIVATE, privateKeyBody } from './private-keys.ts';
import { compileJoined, escapeInto, TokenIndex, type CompiledToken } from './rule-index.ts';
import { TOKEN_RULES } from './rules.ts';
import { SecretSpans } from './secret-spans.ts';
import type { WorkBudget } from './work-budget.ts';

const PRIVATE_LINES = 'Private-Lines';
const [HYPHEN, UNDERSCORE] = [0x2d, 0x5f];

/** Finds what the rules name. Holds a buffer and compiled rules, and no text between two looks. */
export class SecretScanner {
  readonly #words = new LongWords();
  readonly #tokens = new TokenIndex(TOKEN_RULES);
  readonly #joined = compileJoined(JOINED_RULES);
  readonly #named = new NamedValues();

  /** @throws DevsError `OUTPUT_WITHHELD` when the work is more than the budget */
  scan(text: string, work: WorkBudget, seams?: SeamCursor): SecretSpans {
    const look: Look = { text, spans: new SecretSpans(), work, seams, keysTo: 0 };
    this.#named.begin();
    this.#words.visit(text, (start, end) => this.#lookAtWord(look, { start, end }));
    this.#named.lookAtNames(look);
    lookForPasswords(look);
    lookForPrivateKeys(look);
    return look.spans;
  }

  /** Gives where to go on: what was found is passed over, or in `fm2_…=fm2_…=` the rest would be gone over from each word in it. */
  #lookAtWord(look: Look, word: Part): number {
    look.work.spend(word.end - word.start);
    const ends = [this.#lookBefore(look, word), this.#lookForTokens(look, word)];
    this.#named.lookAtWord(look, word);
    if (look.text.startsWith(PRIVATE_LINES, word.end - PRIVATE_LINES.length)) lookAtPrivateLines(look, word.end);
    return Math.max(word.end, ...ends);
  }

  /** A token begins at the word's first unit, after each `_` and `-` in it, and where something was taken out of it. */
  #lookForTokens(look: Look, word: Part): number {
    const { text } = look;
    const escaped = word.start + escapeInto(text, word.start);
    // What stands before a word is no letter and no digit, or it would belong to the word.
    let edge = true;
    let at = word.start;
    while (at < word.end) {
      const end = edge || at === escaped ? this.#endOfToken(look, { start: at, end: word.end }) : undefined;
      at = end ?? at + 1;
      const before = text.charCodeAt(at - 1);
      edge = before === UNDERSCORE || before === HYPHEN || look.seams?.isAt(at) === true;
    }
    return at;
  }

  /** Notes the token that begins here, and gives its end. */
  #endOfToken(look: Look, part: Part): number | undefined {
    const { text, work } = look;
    if (beginsAsHeader(text, part.start)) {
      work.spend(part.end - part.start > REACH.header || text[part.end] !== '.' ? LOOK : part.end - part.start);
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
  #lookBefore(look: Look, word: Part): number {
    const { text, work } = look;
    const joined = this.#joined.get(text[word.start - 1] ?? '');
    if (joined === undefined) return word.end;
    work.spend(REACH.before);
    joined.pattern.lastIndex = word.start;
    const match = joined.pattern.exec(text);
    if (match === null) return word.end;
    work.spend(match[0].length);
    const index = match.findIndex((group, at) => at > 0 && group !== undefined);
    const rule = joined.rules[index - 1];
    if (rule === undefined || rule.accepts?.(match[0]) === false) return word.end;
    const before = rule.masks === 'whole' ? (match[index] ?? '').length : 0;
    return this.#note(look, { start: word.start - before, end: joined.pattern.lastIndex }, rule.id);
  }
}

function lookForPasswords(look: Look): void {
  const { text } = look;
  for (const slashes of ['://', ':\\/\\/']) {
    atEach(look, slashes, (at) => add(look, 'url-password', { found: passwordInUrl(text, at), reach: REACH.before }));
  }
  atEach(look, PASSWORD_NAME, (_, end) => {
    if (text[end - 1] === '=') add(look, 'url-password', { found: passwordInSettings(text, end), reach: REACH.settings });
    else add(look, 'netrc-password', { found: netrcPassword(text, end), reach: REACH.settings });
  });
  for (const host of GO_ADDRESSES) {
    atEach(look, host, (at) => add(look, 'url-password', { found: passwordInGoAddress(text, at), reach: REACH.settings }));
  }
  for (const name of SIGNATURES) {
    atEach(look, name, (at) => add(look, 'azure-sas-signature', { found: signatureInUrl(text, at), reach: REACH.value }));
  }
}

function lookForPrivateKeys(look: Look): void {
  look.keysTo = 0;
  atEach(look, PRIVATE, (at) => {
    if (at < look.keysTo) return;
    const found = privateKeyBody(look.text, at, look.keysTo);
    add(look, 'private-key', { found, reach: REACH.settings });
    look.keysTo = found === undefined ? at : Math.max(at, found.end);
  });
}

function matchToken({ text, work }: Look, token: CompiledToken, part: Part): number | undefined {
  if (token.third !== undefined && token.third !== text.charCodeAt(part.start + 2)) return undefined;
  if (!text.startsWith(token.prefix, part.start)) return undefined;
  work.spend(LOOK + REACH.token);
  const start = part.start + token.prefix.length;
  token.body.lastIndex = start;
  if (!token.body.test(text)) return undefined;
  const end = token.body.lastIndex;
  if (!token.accepts(text.slice(start, end), token.prefix)) return undefined;
  if (token.rest === undefined) return end;
  token.rest.lastIndex = end;
  token.rest.test(text);
  work.spend(token.rest.lastIndex - end);
  return token.rest.lastIndex;
}

/** `Private-Lines: 14` of a PuTTY key: the lines after it are the key. */
function lookAtPrivateLines(look: Look, nameEnd: number): void {
  const count = /^: \d{1,4}/.exec(look.text.slice(nameEnd, nameEnd + 6))?.[0];
  if (count === undefined || nameEnd < look.keysTo) return;
  const found = keyBody(look.text, nameEnd + count.length);
  add(look, 'private-key', { found, reach: REACH.settings });
  look.keysTo = found?.end ?? nameEnd;
}
