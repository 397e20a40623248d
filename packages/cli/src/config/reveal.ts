import { looksRandom } from '../secrets/looks.ts';
import { secretsIn } from '../secrets/values.ts';
import { toJsonText } from '../terminal/terminal.ts';
import { HIDDEN } from './show.ts';

/** UTF-16 units of one value on the screen. */
const MOST_SHOWN = 1_000;
/** Of those, from its end: what a command runs may stand last. */
const MOST_SHOWN_OF_END = 300;
// slow pattern: it is tried up to the last `}` of a text alone, where each beginning has an end
const REFERENCE = /\$\{(?<name>\w*)(?!\w)(?::-)?(?<byDefault>[^}]*)\}/g;

/**
 * A text of a project's file for whoever is asked to trust it: whole, with the variables that it names. It is the
 * project's own, and hidden text is where an attack would stand (`UV_INDEX_URL`, `GIT_ASKPASS`, `--import`). Only what is
 * called a secret and looks random is hidden.
 */
export function revealText(name: string, text: string): string {
  const closed = text.slice(0, text.lastIndexOf('}') + 1);
  const defaults = [...closed.matchAll(REFERENCE)].map(({ groups }) => groups?.['byDefault'] ?? '');
  // A variable in its place must not make the text around it no address any more, nor a part of what is hidden.
  const literal = ['', 'x'].map((stand) => closed.replaceAll(REFERENCE, stand) + text.slice(closed.length));
  const secrets = [...literal, ...defaults].flatMap((each) => secretsIn(name, each)).filter(isRandom);
  return secrets.toSorted((one, other) => other.length - one.length).reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
}

/** The same of any value of an entry; behind `--token` an argument is called that. */
export function revealValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') return revealText(name, value);
  if (Array.isArray(value)) return value.map((item: unknown, index) => revealValue(flagBefore(value, index) ?? name, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revealValue(key, inner)]));
}

/** As JSON on one line, cut where it is long. */
export function revealJson(name: string, value: unknown): string {
  return cutText(toJsonText(revealValue(name, value)));
}

/** The beginning and the end, and how much is missing: one long value must not push the others off the screen. */
export function cutText(text: string): string {
  if (text.length <= MOST_SHOWN) return text;
  const [start, end] = [text.slice(0, MOST_SHOWN - MOST_SHOWN_OF_END), text.slice(-MOST_SHOWN_OF_END)];
  const left = (text.length - MOST_SHOWN).toLocaleString('en-US');
  return `${start}… (${left} more characters, look at them in the file) …${end}`;
}

function flagBefore(values: readonly unknown[], index: number): string | undefined {
  const before = values[index - 1];
  return typeof before === 'string' && /^--?[A-Za-z][^\s=]*$/.test(before) ? before : undefined;
}

/** Letters and digits in turn; or one long run of both cases, as base64 is. */
function isRandom(text: string): boolean {
  return looksRandom(text) || (/^[A-Za-z0-9+=_-][A-Za-z0-9+/=_-]{19,}$/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text));
}
