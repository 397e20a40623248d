import { HIDDEN_UNIT } from '../protocol/hidden-characters.ts';

/**
 * The quick looks at a text: most texts hold nothing to clean, and each step asks here first. What is here decides
 * nothing but whether a step looks closer; a twin in another language could take its place.
 *
 * Node's engine looks for a class of at most 16 characters with vector instructions, in text that it keeps in one
 * byte a character: four such looks take an eighth of the time of one for all (0.3 against 2 times JSON.stringify).
 */
const NARROW_CONTROLS = [
  /[\u0000-\u0008\u000b\u000c\u000e\u000f\u007f]/,
  /[\u0010-\u001f]/,
  /[\u0080-\u008f]/,
  /[\u0090-\u009f]/,
] as const;

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Fails at once where the engine keeps a character in a byte, without a look at the text. */
const WIDE_CHARACTER = /[^\u0000-\u00ff]/;

/** A carriage return that does not end a line: a terminal writes what follows over what stands before. */
const LONE_CARRIAGE_RETURN = /\r(?!\n)/;

/** True when any C0 control but tab, line feed and a carriage return before one, DEL or any C1 control is in the text. */
export function hasTerminalControls(text: string): boolean {
  const hasControls = WIDE_CHARACTER.test(text) ? CONTROLS.test(text) : NARROW_CONTROLS.some((some) => some.test(text));
  return hasControls || (text.includes('\r') && LONE_CARRIAGE_RETURN.test(text));
}

/** True when there may be a hidden character in the text; false: there is none but controls. */
export function mayHideCharacters(text: string): boolean {
  return WIDE_CHARACTER.test(text) ? HIDDEN_UNIT.test(text) : text.includes('\u00ad');
}
