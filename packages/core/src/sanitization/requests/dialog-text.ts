import { toOneLine } from '../pipeline/one-line.ts';
import { withoutOtherVoices } from './other-voices.ts';

/** Everything that ends a line for some client: Unicode's line breaks (UAX 14), and the separators of ASCII. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/u;
/** What is there and shows nothing: enough of it pushes what follows out of a dialog. */
const BLANKS = /[\p{Z}\t\u115f\u1160\u2800\u3164\uffa0]+/gu;
/** More marks on one letter than any language writes: drawn one above the other they cover the lines around them. */
const STACKED_MARKS = /(\p{M}{8})\p{M}+/gu;
/** A tag, or a link or an image of Markdown: a line break, a heading or a picture that nobody attributes to its server. */
const MARKUP = /<(?=[A-Za-z/!?])|(?<=\])[([]/gu;
const MOST_LINES = 40;

/** Line breaks of any kind as `\n`, so that cleaning, which drops controls, joins no two lines. */
export function toPlainBreaks(text: string): string {
  return text.split(LINE_BREAK).join('\n');
}

/** Text of a server on one line of a dialog: no markup in it, and no room to hide something behind. */
export function toDialogLine(text: string): string {
  return toOneLine(text).replace(BLANKS, ' ').trim().replace(STACKED_MARKS, '$1').replace(MARKUP, (mark) => (mark === '<' ? '< ' : ` ${mark}`));
}

/** True for a text that takes no more room in a dialog than its letters. */
export function isOneLine(text: string): boolean {
  return toOneLine(text) === text && !/[\p{Z}\t\u115f\u1160\u2800\u3164\uffa0]{2}/u.test(text) && !/\p{M}{9}/u.test(text);
}

/** Text of a server on as few lines as it has words on. What is beyond the last line goes on in it. */
export function toDialogLines(text: string): string {
  const lines = text.split('\n').map(toDialogLine).filter((line) => line !== '');
  const shown = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES - 1), lines.slice(MOST_LINES - 1).join(' ')] : lines;
  return shown.join('\n');
}

/**
 * The first line says who asks, and each further one whose it is: a line on which nobody is named would be taken for the
 * client's own, or for that of devs.
 */
export function attributeLines(lines: string, source: string): string {
  return lines.split('\n').map((line, index) => `${source}${index === 0 ? ' asks' : ''}: ${withoutOtherVoices(line)}`).join('\n');
}
