import { C0, C1, CARRIAGE_RETURN as HOLDS_CARRIAGE_RETURN } from '../../protocol/unit-kinds.ts';
import type { Change, Rewriter, TextStep } from '../pipeline/text-step.ts';

export interface TerminalControlSettings {
  /** True: controls go, with the sequences they begin. False: each is shown as its picture, and rules nothing: `␛[31m␃`. */
  readonly stripControlChars: boolean;
  /** True: NULs go. False: they are shown as `␀`. */
  readonly stripNullBytes: boolean;
}

const NUL = 0x00;
const BELL = 0x07;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESCAPE = 0x1b;
const DELETE = 0x7f;
const BACKSLASH = 0x5c;
const CSI = 0x9b;
const STRING_TERMINATOR = 0x9c;
const OSC = 0x9d;

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A carriage return that does not end a line: a terminal writes what follows over what stands before. */
const LONE_CARRIAGE_RETURN = /\r(?!\n)/;

/** The string of an OSC, DCS, SOS, PM or APC, and what ends it or breaks it off. A longer one would take honest text with it. */
const STRING = /[^\u0007\u0018\u001a\u001b\u0090\u0098\u009b-\u009f]{0,4096}[\u0007\u0018\u001a\u001b\u0090\u0098\u009b-\u009f]/y;

/**
 * The same behind an 8-bit introducer. UTF-8 that was read as Latin-1 holds these all over (the quotes of `“so”` come
 * with an OSC and its end): no words between two of them may go.
 */
const SHORT_STRING = /[\u0000\u0020-\u007e]{0,256}[\u0007\u001b\u009c]/y;

/** Closes a sequence that is shown: its last letter would else be the first of the word behind it, and hide a token. */
const END_PICTURE = '\u2403';

/**
 * Takes away what a terminal would obey (ECMA-48), in one pass: sequences, then every C0 control but tab, line feed and
 * carriage return, DEL and C1. A carriage return that is not before a line feed becomes one: else what follows
 * would stand over what is before; a form feed between two words does, too. No deletion can build a new sequence (`ESC ESC [0m [31m`): every character
 * that could begin one is gone, wherever it stood.
 */
export function terminalControls(settings: TerminalControlSettings): TextStep {
  return {
    name: 'terminal-controls',
    rewrite: (text, rewriter, { kinds }) => {
      const mayOverwrite = (kinds & HOLDS_CARRIAGE_RETURN) !== 0 && LONE_CARRIAGE_RETURN.test(text);
      if ((kinds & (C0 | C1)) !== 0 || mayOverwrite) new ControlPass(text, settings).rewrite(rewriter);
    },
  };
}

const TO_LINE_FEED: Change = { by: '\n', rule: 'carriage-return' };
/** A form feed or a vertical tab parts two lines: `page 1\fpage 2` is not to be one word. */
const TO_NEW_LINE: Change = { by: '\n', rule: 'c0' };

/** Each once: a hostile text holds ten million controls. */
const DELETED: Readonly<Record<Rule, Change>> = {
  null: { by: '', rule: 'null' },
  c0: { by: '', rule: 'c0' },
  c1: { by: '', rule: 'c1' },
  escape: { by: '', rule: 'escape' },
  csi: { by: '', rule: 'csi' },
  osc: { by: '', rule: 'osc' },
  string: { by: '', rule: 'string' },
};

/**
 * C1 controls that no terminal acts on, as the characters that Windows-1252 has there (WHATWG Encoding): text of that encoding, read as
 * Latin-1, has an apostrophe in `It\u0092s`. UTF-8 that was read so has them behind other letters: there they say nothing.
 */
const TYPOGRAPHIC: ReadonlyMap<number, Change> = new Map(
  ([[0x91, '‘'], [0x92, '’'], [0x93, '“'], [0x94, '”'], [0x95, '•'], [0x96, '–'], [0x97, '—']] as const).map(([unit, by]) => [unit, { by, rule: 'c1' }]),
);

type Rule = 'null' | 'c0' | 'c1' | 'escape' | 'csi' | 'osc' | 'string';

class ControlPass {
  readonly #text: string;
  readonly #settings: TerminalControlSettings;
  readonly #control = new RegExp(CONTROL);
  /** What the last control that was read is. Its end is given by who reads it. */
  #rule: Rule = 'c0';
  /** Of the text, up to here all is decided, and this is the last unit of what was made of it. */
  #decided = 0;
  #last = LINE_FEED;

  constructor(text: string, settings: TerminalControlSettings) {
    this.#text = text;
    this.#settings = settings;
  }

  rewrite(rewriter: Rewriter): void {
    for (let start = this.#nextControl(0); start >= 0; ) {
      if (start > this.#decided) this.#last = this.#unit(start - 1);
      const end = this.#unit(start) === CARRIAGE_RETURN ? start + 1 : this.#read(start);
      const change = this.#changeOf(start, end);
      if (change === undefined) this.#last = CARRIAGE_RETURN;
      else {
        rewriter.replace(start, end, change);
        if (change.by !== '') this.#last = change.by.charCodeAt(change.by.length - 1);
      }
      this.#decided = end;
      start = this.#nextControl(end);
    }
  }

  /** Of what was just read. Undefined: it stays, as the first half of a line end. */
  #changeOf(start: number, end: number): Change | undefined {
    const unit = this.#unit(start);
    if (unit === CARRIAGE_RETURN) return this.#isBeforeLineFeed(start) ? undefined : TO_LINE_FEED;
    const change = DELETED[this.#rule];
    if (!this.#isDeleted(start)) return { ...change, by: this.#shown(start, end) };
    return isPageBreak(unit) && this.#partsText(end) ? TO_NEW_LINE : change;
  }

  /** Between what is written before and what comes behind it, neither of which is a line end already. */
  #partsText(end: number): boolean {
    let next = end;
    while (isControl(this.#unit(next)) && !isPageBreak(this.#unit(next)) && this.#isDeleted(next)) next = this.#read(next);
    const unit = this.#unit(next);
    const isText = unit >= 0 && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && !isPageBreak(unit);
    return isText && this.#last !== LINE_FEED;
  }

  #unit(index: number): number {
    return this.#text.charCodeAt(index);
  }

  #nextControl(from: number): number {
    // Controls come in rows, and to set out a search costs more than to look.
    const unit = this.#unit(from);
    if (unit === CARRIAGE_RETURN || isControl(unit)) return from;
    this.#control.lastIndex = from;
    return this.#control.test(this.#text) ? this.#control.lastIndex - 1 : -1;
  }

  #isDeleted(index: number): boolean {
    const unit = this.#unit(index);
    if (unit === NUL) return this.#settings.stripNullBytes;
    return this.#settings.stripControlChars && (unit < 0x80 || this.#typographicAt(index) === undefined);
  }

  #typographicAt(index: number): Change | undefined {
    const known = TYPOGRAPHIC.get(this.#unit(index));
    if (known === undefined || index === 0) return known;
    const before = this.#unit(index - 1);
    // From 0xE0 on a letter may begin three bytes of UTF-8, of which this would be the second.
    const isAlone = isControl(before) ? false : before < 0x80 || (before >= 0xe0 && !isBetween(this.#unit(index + 1), 0x80, 0xbf));
    return isAlone ? known : undefined;
  }

  /** A control, or a sequence with all controls in it. */
  #shown(start: number, end: number): string {
    let shown = '';
    for (let index = start; index < end; index += 1) {
      const unit = this.#unit(index);
      if (unit === CARRIAGE_RETURN) shown += this.#isBeforeLineFeed(index) ? '\r' : '\n';
      else if (!isControl(unit)) shown += this.#text.charAt(index);
      else if (!this.#isDeleted(index)) shown += this.#typographicAt(index)?.by ?? pictureOf(unit);
    }
    return end === start + 1 ? shown : shown + END_PICTURE;
  }

  /** In the text that is made: what goes between the two does not part them. Looks no further than the next carriage return. */
  #isBeforeLineFeed(index: number): boolean {
    let next = index + 1;
    while (isControl(this.#unit(next)) && this.#isDeleted(next)) next = this.#read(next);
    return this.#unit(next) === LINE_FEED;
  }

  /** Where the control at `start` and all that belongs to it ends. */
  #read(start: number): number {
    const unit = this.#unit(start);
    switch (unit) {
      case ESCAPE:
        return this.#readEscape(start);
      case CSI:
        // Without a parameter it may as well be half a letter: `ț` read as Latin-1.
        this.#rule = 'csi';
        return isParameter(this.#unit(this.#skipIgnored(start + 1))) ? this.#readControlSequence(start + 1) : start + 1;
      case OSC:
        return this.#readString(SHORT_STRING, start + 1, 'osc');
      case 0x90:
      case 0x98:
      case 0x9e:
      case 0x9f:
        return this.#readString(SHORT_STRING, start + 1, 'string');
      default:
        this.#rule = ruleOf(unit);
        return start + 1;
    }
  }

  #readEscape(start: number): number {
    const next = this.#skipIgnored(start + 1);
    switch (this.#text[next]) {
      case '[':
        return this.#readControlSequence(next + 1);
      case ']':
        return this.#readString(STRING, next + 1, 'osc');
      case 'P':
      case 'X':
      case '^':
      case '_':
        return this.#readString(STRING, next + 1, 'string');
      default: {
        this.#rule = 'escape';
        const final = this.#skip(next, isIntermediate);
        return isBetween(this.#unit(final), 0x30, 0x7e) ? final + 1 : start + 1;
      }
    }
  }

  /** Without its last character it is none: then its introducer alone goes, and the reader sees the rest. */
  #readControlSequence(start: number): number {
    this.#rule = 'csi';
    const final = this.#skip(this.#skip(start, isParameter), isIntermediate);
    return isBetween(this.#unit(final), 0x40, 0x7e) ? final + 1 : start;
  }

  /** Until its end; where none comes before the next sequence, the introducer alone goes: else it would swallow all the rest. */
  #readString(string: RegExp, start: number, rule: Rule): number {
    this.#rule = rule;
    string.lastIndex = start;
    if (!string.test(this.#text)) return start;
    const last = string.lastIndex;
    const unit = this.#unit(last - 1);
    if (unit === BELL || unit === STRING_TERMINATOR) return last;
    const next = this.#skipIgnored(last);
    return unit === ESCAPE && this.#unit(next) === BACKSLASH ? next + 1 : start;
  }

  #skip(from: number, belongs: (unit: number) => boolean): number {
    let index = this.#skipIgnored(from);
    while (belongs(this.#unit(index))) index = this.#skipIgnored(index + 1);
    return index;
  }

  /** A terminal goes on with a sequence over the controls in it: `ESC NUL [ 31m` is one. What stays is not skipped. */
  #skipIgnored(from: number): number {
    let index = from;
    while (isIgnoredInSequence(this.#unit(index)) && this.#isDeleted(index)) index += 1;
    return index;
  }
}

/** Behind the end of a text a unit is NaN, which lies between no two numbers. */
function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}

function isParameter(unit: number): boolean {
  return isBetween(unit, 0x30, 0x3f);
}

function isIntermediate(unit: number): boolean {
  return isBetween(unit, 0x20, 0x2f);
}

/** The controls that this step takes away or shows: of C0 all but tab, line feed and carriage return. */
function isControl(unit: number): boolean {
  return isBetween(unit, 0, 8) || unit === 0x0b || unit === 0x0c || isBetween(unit, 0x0e, 0x1f) || isBetween(unit, DELETE, 0x9f);
}

function isPageBreak(unit: number): boolean {
  return unit === 0x0b || unit === 0x0c;
}

function isIgnoredInSequence(unit: number): boolean {
  return isControl(unit) && unit <= DELETE && unit !== ESCAPE && unit !== CANCEL && unit !== SUBSTITUTE;
}

function ruleOf(unit: number): Rule {
  if (unit === NUL) return 'null';
  return unit <= DELETE ? 'c0' : 'c1';
}

/** Unicode has pictures of the C0 controls and of DEL; the C1 controls have none. */
function pictureOf(unit: number): string {
  if (unit === DELETE) return '\u2421';
  return unit < DELETE ? String.fromCharCode(0x2400 + unit) : '\ufffd';
}
