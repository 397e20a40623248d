import type { SeamCursor } from '../pipeline/seams.ts';
import { GO_ADDRESSES, passwordInGoAddress, passwordInSettings } from './connection-strings.ts';
import { AZURE_MARKER, azureKey, SHORTEST_AZURE_KEY } from './azure-keys.ts';
import { PASSWORD_OPTIONS, passwordInCommand } from './command-passwords.ts';
import { COOKIE_NAME, sessionsBehind } from './cookies.ts';
import { endedToken, SHORTEST_ENDED } from './ended-tokens.ts';
import { beginsAsHeader, endOfJsonWebToken } from './json-web-token.ts';
import { JOINED_RULES } from './joined-rules.ts';
import { ManifestReader, SECRET_KIND } from './kubernetes-secrets.ts';
import { LongWords, SHORTEST_WORD } from './long-words.ts';
import { add, atEach, LOOK, REACH, type Look, type Part } from './look.ts';
import { matchJoined, matchJoinedAtSeams, type JoinedPart } from './match-joined.ts';
import { NamedValues } from './named-values.ts';
import { netrcPassword } from './netrc.ts';
import { PASSWORD_NAME, passwordInUrl, SIGNATURES, signatureInUrl } from './passwords.ts';
import { placedValue } from './placed-values.ts';
import { PRIVATE, PRIVATE_LINES, privateKeyBody, puttyKeyBody } from './private-keys.ts';
import { compileJoined, escapeInto, TokenIndex, type CompiledToken } from './rule-index.ts';
import { TOKEN_RULES } from './rules.ts';
import { mayBeBody } from './secret-rule.ts';
import { SecretSpans } from './secret-spans.ts';
import { ESCAPED_SLASHES, mayHoldSought, SLASHES } from './sought.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';

const [HYPHEN, LETTER_S, UNDERSCORE] = [0x2d, 0x73, 0x5f];
/** Steps of setting out a search for each of what is sought, at most: in a long text they are as nothing beside its units. */
const SOUGHT = 1_000;
/** Steps of decoding what may be a header. */
const DECODED = 500;
/** Steps of a unit of a manifest, whose lines are read one by one. */
const MANIFEST = 3;
/** Steps of a kind, which is read from its colon on; and of a value, whose entry is read and whose place is found in all written forms. */
const [MANIFEST_KIND, MANIFEST_VALUE] = [240, 900];
/** Units of a prefix before its `_` or `-`. */
const LONGEST_NAME = 12;

/** Finds what the rules name. Holds a buffer and compiled rules, and no text between two looks. */
export class SecretScanner {
  readonly #words = new LongWords();
  readonly #tokens = new TokenIndex(TOKEN_RULES);
  readonly #joined = compileJoined(JOINED_RULES);
  readonly #named = new NamedValues();

  /** @throws DevsError `OUTPUT_WITHHELD` when the work is more than the budget */
  scan(text: string, work: WorkBudget, seams?: SeamCursor): SecretSpans {
    const look: Look = { text, spans: new SecretSpans(), work, seams, keysTo: 0, nextToken: -1, longRun: -1 };
    this.#named.begin();
    if (text.length >= SHORTEST_WORD) this.#words.visit(text, (start, end) => this.#lookAtWord(look, start, end));
    if (mayHoldSought(text)) {
      work.spend(Math.min(SOUGHT, text.length >> 1));
      this.#lookForSought(look);
    }
    return look.spans;
  }

  #lookForSought(look: Look): void {
    this.#named.lookAtNames(look);
    lookForPasswords(look);
    lookForCookies(look);
    lookForManifests(look);
    lookForPrivateKeys(look);
  }

  /** Gives where to go on: what was found is passed over, or in `fm2_…=fm2_…=` the rest would be gone over from each word in it. */
  #lookAtWord(look: Look, start: number, end: number): number {
    const { text } = look;
    look.work.spend(end - start);
    const joinedEnd = this.#lookBefore(look, start);
    const tokenEnd = this.#lookForTokens(look, start, end);
    this.#named.lookAtWord(look, start, end);
    noteKnown(look, placedValue(text, { start, work: look.work }));
    if (end - start >= SHORTEST_ENDED) noteKnown(look, endedToken(text, { end, work: look.work }));
    if (end - start >= SHORTEST_AZURE_KEY) lookForAzureKeys(look, { start, end });
    if (text.charCodeAt(end - 1) === LETTER_S && text.startsWith(PRIVATE_LINES, end - PRIVATE_LINES.length)) lookAtPrivateLines(look, end);
    const next = Math.max(end, joinedEnd, tokenEnd);
    if (next > end) this.#lookAtRest(look, next);
    return next;
  }

  /** A token that ends within a later word may leave a name of it, as `…-x-api-key`, which is too short to be visited as a word. */
  #lookAtRest(look: Look, start: number): void {
    const end = this.#words.endOfWord(look.text, start);
    if (end > start && end - start < SHORTEST_WORD) this.#named.lookAtWord(look, start, end);
  }

  /** A token begins at the word's first unit, after each `_` and `-` in it, and where something was taken out of it. */
  #lookForTokens(look: Look, start: number, wordEnd: number): number {
    const escaped = start + escapeInto(look.text, start);
    // What stands before a word is no letter and no digit, or it would belong to the word.
    let at = start;
    while (at < wordEnd) {
      const from = this.#endOfToken(look, at, wordEnd) ?? at + 1;
      const edge = from === look.nextToken ? from : this.#nextEdge(look, from, wordEnd);
      at = at < escaped && from <= escaped && escaped < edge ? escaped : edge;
    }
    return at;
  }

  /** The next place in the word where a token may begin, at `from` or behind it. */
  #nextEdge({ text, seams }: Look, from: number, wordEnd: number): number {
    if (seams === undefined) return this.#words.nextEdge(text, from, wordEnd);
    // Unit by unit: a seam at each of them, and a search to the end of the word from each seam, would be the square of it.
    for (let at = from; at < wordEnd; at += 1) if (seams.isAt(at) || isJoiner(text.charCodeAt(at - 1))) return at;
    return Math.max(from, wordEnd);
  }

  /** Notes the token that begins here, and gives its end. */
  #endOfToken(look: Look, start: number, wordEnd: number): number | undefined {
    const { text, work } = look;
    if (beginsAsHeader(text, start)) {
      work.spend(wordEnd - start > REACH.header || text[wordEnd] !== '.' ? LOOK : DECODED + wordEnd - start);
      const end = endOfJsonWebToken(text, { start, wordEnd });
      if (end !== undefined) {
        work.spend(end - wordEnd);
        return this.#note(look, { start, end }, 'json-web-token');
      }
    }
    const tokens = this.#tokens.at(text, start);
    if (tokens === undefined) return undefined;
    for (const token of tokens) {
      const end = matchToken(look, token, start);
      if (end !== undefined) return this.#note(look, { start, end: this.#beginOfNext(look, start, end) ?? end }, token.id);
    }
    return undefined;
  }

  /** In `npm_…npm_…` the first seems to end behind the letters of the second's prefix: it ends before them. */
  #beginOfNext(look: Look, start: number, end: number): number | undefined {
    const { text } = look;
    if (!isJoiner(text.charCodeAt(end))) return undefined;
    for (let at = Math.max(start + 1, end - LONGEST_NAME); at < end; at += 1) {
      const isPrefix = ({ prefix }: CompiledToken) => at + prefix.length > end && text.startsWith(prefix, at);
      const next = this.#tokens.at(text, at)?.find((token) => isPrefix(token) && matchToken(look, token, at) !== undefined);
      if (next === undefined) continue;
      look.nextToken = at;
      return at;
    }
    return undefined;
  }

  /** What is glued to the end of a token goes with it: once there is a mark, nobody could tell what else it was. */
  #note({ text, spans, seams, nextToken }: Look, { start, end }: Part, rule: string): number {
    const isGlued = end !== nextToken && /[A-Za-z0-9]/.test(text[end] ?? '') && /[\w-]/.test(text[end - 1] ?? '') && seams?.has(end) !== true;
    const noted = isGlued ? this.#words.endOfWord(text, end) : end;
    spans.add(start, noted, rule);
    return noted;
  }

  /** What stands before the word tells what it is: `SG.`, `123456789:`, `…/services/T0/B0/`. Gives where it ends; 0 when it is nothing. */
  #lookBefore(look: Look, start: number): number {
    const { text, work } = look;
    const joined = this.#joined[text.charCodeAt(start - 1)];
    if (joined === undefined) return 0;
    const found = matchJoined(joined, text, { at: start, work }) ?? matchJoinedAtSeams(joined, look, start);
    return found === undefined ? 0 : this.#note(look, found, found.rule);
  }
}

/** What a look gave that names its rule itself. */
function noteKnown({ spans }: Look, found: JoinedPart | undefined): void {
  if (found !== undefined) spans.add(found.start, found.end, found.rule);
}

function isJoiner(unit: number): boolean {
  return unit === HYPHEN || unit === UNDERSCORE;
}

function lookForPasswords(look: Look): void {
  const { text } = look;
  const lookAtUrl = (at: number) => add(look, 'url-password', { found: passwordInUrl(text, at), reach: REACH.before });
  atEach(look, SLASHES, lookAtUrl);
  // By the backslash: a colon is in every line of many texts.
  atEach(look, ESCAPED_SLASHES, (at) => {
    if (text[at - 1] === ':') lookAtUrl(at - 1);
  });
  atEach(look, PASSWORD_NAME, (_, end) => {
    if (text[end - 1] === '=') add(look, 'url-password', { found: passwordInSettings(text, end, look.work), reach: REACH.connection });
    else add(look, 'netrc-password', { found: netrcPassword(text, end, look.work), reach: REACH.settings });
  });
  for (const host of GO_ADDRESSES) {
    atEach(look, host, (at) => add(look, 'url-password', { found: passwordInGoAddress(text, at), reach: REACH.settings }));
  }
  for (const option of PASSWORD_OPTIONS) {
    atEach(look, option, (at) => add(look, 'command-password', { found: passwordInCommand(text, at), reach: REACH.command }));
  }
  for (const name of SIGNATURES) {
    atEach(look, name, (at) => add(look, 'azure-sas-signature', { found: signatureInUrl(text, at), reach: REACH.value }));
  }
}

function lookForAzureKeys(look: Look, { start, end }: Part): void {
  const word = look.text.slice(start, end);
  atEach({ ...look, text: word }, AZURE_MARKER, (at) => add(look, 'azure-key', { found: azureKey(look.text, start + at), reach: REACH.value }));
}

function lookForCookies(look: Look): void {
  const { text, work } = look;
  atEach(look, COOKIE_NAME, (_, nameEnd) => {
    const { found, end } = sessionsBehind(text, nameEnd);
    work.spend(end - nameEnd);
    for (const part of found) add(look, 'cookie', { found: part, reach: LOOK });
  });
}

function lookForManifests(look: Look): void {
  const { work } = look;
  const manifests = new ManifestReader(look.text, work);
  atEach(look, SECRET_KIND, (at) => {
    work.spend(MANIFEST_KIND);
    const values = manifests.valuesAt(at);
    if (values === undefined) return;
    work.spend(MANIFEST * values.units + MANIFEST_VALUE * values.found.length);
    for (const part of values.found) add(look, 'kubernetes-secret', { found: part, reach: LOOK });
  });
}

function lookForPrivateKeys(look: Look): void {
  look.keysTo = 0;
  atEach(look, PRIVATE, (at) => {
    if (at < look.keysTo) return;
    const found = privateKeyBody(look, at, look.keysTo);
    add(look, 'private-key', { found, reach: REACH.settings });
    look.keysTo = found === undefined ? at : Math.max(at, found.end);
  });
}

function matchToken(look: Look, token: CompiledToken, at: number): number | undefined {
  const { text, work } = look;
  if (token.fourth !== undefined && token.fourth !== text.charCodeAt(at + 3)) return undefined;
  if (!text.startsWith(token.prefix, at)) return undefined;
  const start = at + token.prefix.length;
  if (!mayBeBody(text, start)) return spendLook(work);
  work.spend(12 * LOOK);
  const end = endOfBody(token, text, start);
  if (end === undefined) return endOfBodyAtSeam(token, look, start);
  if (token.rest === undefined) return end;
  token.rest.lastIndex = end;
  token.rest.test(text);
  work.spend(token.rest.lastIndex - end);
  return token.rest.lastIndex;
}

function spendLook(work: WorkBudget): undefined {
  work.spend(5 * LOOK);
}

function endOfBody({ body, accepts, prefix }: CompiledToken, text: string, start: number): number | undefined {
  body.lastIndex = start;
  if (!body.test(text)) return undefined;
  const end = body.lastIndex;
  return accepts(text.slice(start, end), prefix) ? end : undefined;
}

/** As if the text ended where something was taken out of it: `AKIA…` with a word glued behind it, and parted within. */
function endOfBodyAtSeam(token: CompiledToken, { text, work, seams }: Look, start: number): number | undefined {
  for (const last of seams?.between(start, start + REACH.token) ?? []) {
    work.spend(10 * LOOK);
    const end = endOfBody(token, text.slice(0, last), start);
    if (end !== undefined) return end;
  }
  return undefined;
}

/** `Private-Lines: 14` of a PuTTY key: the lines after it are the key. */
function lookAtPrivateLines(look: Look, nameEnd: number): void {
  if (nameEnd < look.keysTo) return;
  const found = puttyKeyBody(look, nameEnd);
  add(look, 'private-key', { found, reach: LOOK });
  look.keysTo = found?.end ?? nameEnd;
}
