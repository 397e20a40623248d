import { decodeHTML } from 'entities/decode';

/** Where a form can begin. `\n` is in every source file. Of few characters: the engine looks for them with vector instructions. */
export const FORM_BEGINNING = String.raw`[&%]|\\(?=[\\uUx01_])`;

export function holdsForms(text: string): boolean {
  const form = new FormReader(text);
  const beginning = new RegExp(FORM_BEGINNING, 'g');
  while (beginning.test(text)) if (form.endAt(beginning.lastIndex - 1) >= 0) return true;
  return false;
}

/** Reads the forms of one text. */
export class FormReader {
  readonly #text: string;
  readonly #form = new RegExp(ENCODED_FORMS, 'y');

  constructor(text: string) {
    this.#text = text;
  }

  /** Behind the form that begins at a `&`, `%` or backslash; -1 where none does. */
  endAt(start: number): number {
    this.#form.lastIndex = start;
    return this.#form.test(this.#text) ? this.#form.lastIndex : -1;
  }
}


const HEX = '[0-9a-fA-F]';

/** `&`, also as JSON and URLs write it, and as it comes out when it is encoded again and again: `&amp;amp;lt;`. */
const AMPERSAND_OF_TEXT = String.raw`&|\\{1,16}(?:u0026|x26)`;
const AMPERSAND = ampersandOf(`${AMPERSAND_OF_TEXT}|%26`);

function ampersandOf(beginning: string): string {
  return `(?:${beginning})(?:(?:[aA][mM][pP]|#0{0,8}38|#[xX]0{0,8}26);?){0,8}`;
}

/** What browsers take without its semicolon, of what a pattern can consist of. */
const UNENDED = '(?:[lL][tT]|[gG][tT]|[qQ][uU][oO][tT]|shy|nbsp)';

/** As Markdown that was made from a page writes each `_` of it; every reader takes the backslash away. */
const MARKDOWN_LOW_LINE = String.raw`\\{1,16}_`;

/**
 * What stands for one character, as a regular expression without groups: entities; escapes of JSON, JavaScript, Python,
 * C and shells, as deep in strings of strings as they may be; bytes of URLs, which pages and logs show decoded.
 * Every quantifier is bounded: the work is linear.
 */
const ENCODED_FORMS = `${formsBehind(AMPERSAND)}|%[0-7]${HEX}|${MARKDOWN_LOW_LINE}`;

function formsBehind(ampersand: string): string {
  return [
    `${ampersand}(?:#[xX]0{0,8}${HEX}{1,6};?|#0{0,8}[0-9]{1,7};?|[a-zA-Z][a-zA-Z0-9]{1,31};|${UNENDED})`,
    String.raw`\\{1,16}u(?:[dD][89abAB]${HEX}{2}\\{1,16}u[dD][c-fC-F]${HEX}{2}|${HEX}{4}|\{0{0,8}${HEX}{1,6}\})`,
    String.raw`\\{1,16}(?:x${HEX}{2}|U${HEX}{8}|[01][0-7]{2})`,
  ].join('|');
}

/** The same in a URL, where percent signs are its own. */
export const FORMS_OF_URL = formsBehind(ampersandOf(AMPERSAND_OF_TEXT));

const ENTITY = new RegExp(`^${AMPERSAND}(?=[#a-zA-Z])`);

/** What one form stands for; the form itself when it is none after all. */
export function decodeForm(form: string): string {
  const name = form.replace(ENTITY, '');
  if (name !== form) return decodeEntity(name) ?? form;
  if (form.endsWith('_')) return '_';
  const [, , digits = ''] = /^(%|\\+[uUx]?)(.*)$/s.exec(form) ?? [];
  const base = /^\\+[01]/.test(form) ? 8 : 16;
  return digits.split(/\\+u/).map((code) => fromCode(code.replace(/[{}]/g, ''), base)).join('');
}

function decodeEntity(name: string): string | undefined {
  const [, hexadecimal, digits] = /^#(x?)([0-9a-f]+);?$/i.exec(name) ?? [];
  if (digits !== undefined) return fromCode(digits, hexadecimal === '' ? 10 : 16);
  const ended = name.endsWith(';') ? name : `${name};`;
  // Who looks for a tag reads `&Lt;` as `&lt;`, whatever else it may stand for.
  const spellings = [ended.toLowerCase(), ended].map((spelling) => `&${spelling}`);
  const known = spellings.find((spelling) => decodeHTML(spelling) !== spelling);
  return known === undefined ? undefined : decodeHTML(known);
}

function fromCode(digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd';
}
