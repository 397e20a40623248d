import { hasTerminalControls } from './scan.ts';
import type { Rewriter, TextStep } from './text-step.ts';

export interface TerminalControlSettings {
  /** True: controls go, with the sequences they begin. False: each is shown as its picture (`␛`), and rules nothing. */
  readonly stripControlChars: boolean;
  /** True: NULs go. False: they are shown as `␀`. */
  readonly stripNullBytes: boolean;
}

/** A control and all that belongs to it. */
interface Sequence {
  readonly end: number;
  readonly rule: string;
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

/** What ends or breaks off the string of an OSC, DCS, SOS, PM or APC. */
const END_OF_STRING = /[\u0007\u0018\u001a\u001b\u0090\u0098\u009b-\u009f]/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Takes away what a terminal would obey (ECMA-48), in one pass: sequences, then every C0 control but tab, line feed and
 * carriage return, DEL and C1. A carriage return that is not before a line feed becomes one: else what follows
 * would stand over what is before. No deletion can build a new sequence (`ESC ESC [0m [31m`): every character
 * that could begin one is gone, wherever it stood.
 */
export function terminalControls(settings: TerminalControlSettings): TextStep {
  return {
    name: 'terminal-controls',
    rewrite: (text, rewriter) => {
      if (hasTerminalControls(text)) new ControlPass(text, settings).rewrite(rewriter);
    },
  };
}

class ControlPass {
  readonly #text: string;
  readonly #settings: TerminalControlSettings;
  readonly #control = new RegExp(CONTROL);
  readonly #endOfString = new RegExp(END_OF_STRING);

  constructor(text: string, settings: TerminalControlSettings) {
    this.#text = text;
    this.#settings = settings;
  }

  rewrite(rewriter: Rewriter): void {
    for (let start = this.#nextControl(0); start >= 0; ) {
      if (this.#unit(start) === CARRIAGE_RETURN) {
        if (!this.#isBeforeLineFeed(start)) rewriter.replace(start, start + 1, { by: '\n', rule: 'carriage-return' });
        start = this.#nextControl(start + 1);
        continue;
      }
      const { end, rule } = this.#read(start);
      rewriter.replace(start, end, { by: this.#isDeleted(start) ? '' : pictureOf(this.#unit(start)), rule });
      start = this.#nextControl(end);
    }
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
    return this.#unit(index) === NUL ? this.#settings.stripNullBytes : this.#settings.stripControlChars;
  }

  /** In the text that is made: what goes between the two does not part them. Looks no further than the next carriage return. */
  #isBeforeLineFeed(index: number): boolean {
    let next = index + 1;
    while (isControl(this.#unit(next)) && this.#isDeleted(next)) next = this.#read(next).end;
    return this.#unit(next) === LINE_FEED;
  }

  #read(start: number): Sequence {
    const unit = this.#unit(start);
    const single = { end: start + 1, rule: ruleOf(unit) };
    if (!this.#settings.stripControlChars) return single;
    switch (unit) {
      case ESCAPE:
        return this.#readEscape(start);
      case CSI:
        return this.#readControlSequence(start + 1);
      case OSC:
        return this.#readString(start + 1, 'osc');
      case 0x90:
      case 0x98:
      case 0x9e:
      case 0x9f:
        return this.#readString(start + 1, 'string');
      default:
        return single;
    }
  }

  #readEscape(start: number): Sequence {
    const next = this.#skipIgnored(start + 1);
    switch (this.#text[next]) {
      case '[':
        return this.#readControlSequence(next + 1);
      case ']':
        return this.#readString(next + 1, 'osc');
      case 'P':
      case 'X':
      case '^':
      case '_':
        return this.#readString(next + 1, 'string');
      default: {
        const final = this.#skip(next, isIntermediate);
        const isWhole = isBetween(this.#unit(final), 0x30, 0x7e);
        return { end: isWhole ? final + 1 : start + 1, rule: 'escape' };
      }
    }
  }

  /** Without its last character it is none: then its introducer alone goes, and the reader sees the rest. */
  #readControlSequence(start: number): Sequence {
    const final = this.#skip(this.#skip(start, isParameter), isIntermediate);
    return { end: isBetween(this.#unit(final), 0x40, 0x7e) ? final + 1 : start, rule: 'csi' };
  }

  /** Until its end; where none comes before the next sequence, the introducer alone goes: else it would swallow all the rest. */
  #readString(start: number, rule: string): Sequence {
    this.#endOfString.lastIndex = start;
    if (!this.#endOfString.test(this.#text)) return { end: start, rule };
    const last = this.#endOfString.lastIndex;
    const unit = this.#unit(last - 1);
    if (unit === BELL || unit === STRING_TERMINATOR) return { end: last, rule };
    const next = this.#skipIgnored(last);
    return { end: unit === ESCAPE && this.#unit(next) === BACKSLASH ? next + 1 : start, rule };
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

function isIgnoredInSequence(unit: number): boolean {
  return isControl(unit) && unit <= DELETE && unit !== ESCAPE && unit !== CANCEL && unit !== SUBSTITUTE;
}

function ruleOf(unit: number): string {
  if (unit === NUL) return 'null';
  return unit <= DELETE ? 'c0' : 'c1';
}

/** Unicode has pictures of the C0 controls and of DEL; the C1 controls have none. */
function pictureOf(unit: number): string {
  if (unit === DELETE) return '\u2421';
  return unit < DELETE ? String.fromCharCode(0x2400 + unit) : '\ufffd';
}
