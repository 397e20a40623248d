/** The adversarial set: what made other systems take minutes to days for ten megabytes. Each row is repeated. */
export const HOSTILE: readonly (readonly [name: string, unit: string])[] = [
  ['ESC', '\u001b'],
  ['OSC without end', '\u001b]'],
  ['8-bit OSC without end', '\u009d'],
  ['8-bit OSC with words, without end', '\u009dabc'],
  ['OSC broken off by CAN', '\u001b]a\u0018'],
  ['CSI without end', '\u001b[0;'],
  ['CSI with NULs', '\u001b[\u0000\u0000'],
  ['DCS and ST in halves', '\u001bP\u001b'],
  ['NULs', '\u0000'],
  ['DEL', '\u007f'],
  ['form feeds', '\f'],
  ['form feeds and NULs', '\f\u0000\u0000'],
  ['carriage returns', '\r'],
  ['carriage returns and NULs', '\r\u0000'],
  ['carriage returns and strings', '\r\u0090'],
  ['control beside text', 'a\u0007'],
  ['tag characters', '\u{e0041}'],
  ['flags without end', '🏴\u{e0067}'],
  ['zero width', '\u200b'],
  ['joiners', '\u200d'],
  ['joined letters', 'क\u200d'],
  ['selectors', '\ufe0f'],
  ['marks of direction', '\u200f'],
  ['private use', '\u{10fffd}'],
  ['bad bytes, decoded', '\ufffd'],
  ['combining marks', '\u0301'],
  ['angles and combining marks', '<\u0301\u0301'],
  ['angles', '<'],
  ['tags', '<external-content-'],
  ['tags in entities', '&lt;/external-content-'],
  ['tags without a name', '</ / / / external'],
  ['tags with attributes, without end', '<external-content-a b='],
  ['triggers', '__ot '],
  ['triggers side by side', 'mcp__onetool'],
  ['beginnings of triggers', '__o'],
  ['low lines', '_'],
  ['low lines and what is not seen', '_\u00ad_\u00adо\u00adt'],
  ['entities', '&amp;'],
  ['ampersands', '&'],
  ['backslashes', '\\'],
  ['escapes', '\\u005f'],
  ['escapes in escapes', '\\\\u005cu'],
  ['percent signs', '%5f%'],
  ['brackets', '['],
  ['images', '![a]('],
  ['images of images', '![![](x)]('],
  ['links without end', '](<'],
  ['definitions', '\n[a]: //b'],
  ['elements', '<b>'],
  ['lists of lists', '<ul><li>'],
  ['ends of elements', '</p>'],
  ['comments without end', '<!--'],
  ['styles', '<p style="display:none">'],
  ['tables', '<table><tr><td>'],
  ['keys', `${'-'.repeat(5)}BEGIN RSA PRIVATE KEY${'-'.repeat(5)}`],
  ['the beginning of a web token', 'eyJ-'],
  ['passwords in addresses', 'a://b:c'],
  ['quotation marks', '"'],
  ['JSON of strings', '["\\u001b",'],
];

// oxlint-disable-next-line typescript/unbound-method -- asked with `call` alone
const { exec } = RegExp.prototype;
// oxlint-disable-next-line typescript/unbound-method -- asked with `call` alone
const { charAt, charCodeAt, codePointAt, indexOf } = String.prototype;

/**
 * Units looked at: one by one, and those that a search went over. Work that is counted is the same on every machine. What
 * goes on in loops over numbers is not seen here: secrets count their own work.
 */
export function countWork(work: () => void): number {
  let units = 0;
  const looksWith = (name: string, look: (this: string, at: number) => unknown) =>
    replaceMethod(String.prototype, name, function (this: string, at: number) {
      units += 1;
      return look.call(this, at);
    });
  const replaced = [
    looksWith('charAt', charAt),
    looksWith('charCodeAt', charCodeAt),
    looksWith('codePointAt', codePointAt),
    // `test`, `matchAll` and `replace` ask it, too.
    replaceMethod(RegExp.prototype, 'exec', function (this: RegExp, text: string) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const found = exec.call(this, text);
      units += 1 + (found === null ? unitsOfMiss(this, text, from) : found.index + found[0].length - from);
      return found;
    }),
    replaceMethod(String.prototype, 'indexOf', function (this: string, searched: string, from = 0) {
      const found = indexOf.call(this, searched, from);
      units += 1 + (found < 0 ? this.length : found) - Math.min(from, this.length);
      return found;
    }),
  ];
  try {
    work();
    return units;
  } finally {
    for (const restore of replaced) restore();
  }
}

/** Until the answer is called. No spy of jest's: those keep all that they were asked, which took most of the time. */
function replaceMethod(owner: object, name: string, method: unknown): () => void {
  const original = Object.getOwnPropertyDescriptor(owner, name);
  if (original === undefined) throw new Error(`there is no ${name} to replace`);
  Object.defineProperty(owner, name, { ...original, value: method });
  return () => {
    Object.defineProperty(owner, name, original);
  };
}

/** Of a look at one place with nothing unbounded in its pattern: a constant, whatever the text. */
const REACH_OF_BOUNDED = 16;

/** What was looked at in vain: all the rest by a search, by a look at one place as much as the beginnings of its pattern take. */
function unitsOfMiss(pattern: RegExp, text: string, from: number): number {
  if (!pattern.sticky) return text.length - from;
  if (!isUnbounded(pattern.source)) return Math.min(REACH_OF_BOUNDED, text.length - from);
  let reach = from;
  for (const beginning of beginningsOf(pattern)) {
    beginning.lastIndex = from;
    if (exec.call(beginning, text) !== null) reach = Math.max(reach, beginning.lastIndex);
  }
  return reach - from;
}

const beginnings = new Map<string, readonly RegExp[]>();

/** Of each length that is a pattern once its groups are closed. */
function beginningsOf({ source, flags }: RegExp): readonly RegExp[] {
  const known = beginnings.get(flags + source);
  if (known !== undefined) return known;
  const made: RegExp[] = [];
  for (let length = 1; length < source.length; length += 1) {
    for (const end of ['', ')', '))']) {
      try {
        made.push(new RegExp(source.slice(0, length) + end, flags));
      } catch {
        // Cut in the middle of something.
      }
    }
  }
  beginnings.set(flags + source, made);
  return made;
}

/** Read unit by unit: regular expressions are counted here. */
function isUnbounded(source: string): boolean {
  let isInClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const unit = source[at];
    if (unit === '\\') at += 1;
    else if (unit === '[') isInClass = true;
    else if (unit === ']') isInClass = false;
    else if (!isInClass && (unit === '*' || unit === '+' || source.startsWith(',}', at))) return true;
  }
  return false;
}
