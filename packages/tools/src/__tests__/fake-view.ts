import type { Alteration, ByteRange, TextView } from '@devs/core';

/** What a piece of a text becomes: itself, or what is shown in its place. */
interface Piece {
  readonly source: string;
  readonly shown: string;
  readonly kind: Alteration['kind'] | 'same';
}

const SECRET = 'SECRET';
const MARK = '[REDACTED:secret:test]';

/** A view that masks `SECRET<n>`, and `XYZ<n>` right after `pass:`; takes U+200B out and shows bytes above 0x7F that are no text as U+FFFD. */
export function fakeView(bytes: Uint8Array): TextView {
  const plain = Buffer.from(bytes).toString('latin1');
  return /^[\x00-\x7f]*$/.test(plain) && !/SECRET\d|XYZ\d/.test(plain) ? asciiView(plain) : piecesView(bytes);
}

/** Large files have to be quick. */
function asciiView(text: string): TextView {
  const sourceOf = (start: number, end: number) => ({ start, end });
  return { text, alterationCount: 0, alterationsIn: () => [], isEdge: () => true, sourceOf, encode };
}

export function alterationsOf(view: TextView): Alteration[] {
  return [...view.alterationsIn(-1, Infinity)];
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function piecesView(bytes: Uint8Array): TextView {
  const pieces = piecesOf(Buffer.from(bytes).toString('latin1'));
  const alterations: Alteration[] = [];
  const edges = new Map<number, { before: number; after: number }>();
  let text = '';
  let offset = 0;
  const note = (unit: number, before: number, after: number) => {
    const known = edges.get(unit);
    edges.set(unit, { before: known?.before ?? before, after });
  };
  note(0, 0, 0);
  for (const { source, shown, kind } of pieces) {
    const start = text.length;
    const end = offset + source.length;
    if (kind !== 'same') alterations.push({ start, end: start + shown.length, source: { start: offset, end }, kind });
    note(start, offset, shown === '' ? end : offset);
    text += shown;
    note(text.length, end, end);
    offset = end;
  }
  return {
    text,
    alterationCount: alterations.length,
    alterationsIn: (start, end) => alterations.filter((one) => one.start < end && one.end > start),
    isEdge: (unit) => edges.has(unit),
    sourceOf(start, end): ByteRange {
      const [first, last] = [edges.get(start), edges.get(end)];
      if (first === undefined || last === undefined) throw new RangeError('An edge stands for nothing of its own.');
      return start === end ? { start: first.after, end: first.after } : { start: first.after, end: last.before };
    },
    encode,
  };
}

/** @param bytes one character a byte */
function piecesOf(bytes: string): Piece[] {
  const CHARACTERS = /SECRET\d+|(?<=pass:)XYZ\d+|\xe2\x80\x8b|[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|[\xe1-\xec][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[^]/g;
  return [...bytes.matchAll(CHARACTERS)].map(([source]): Piece => {
    if (source.startsWith(SECRET) || source.startsWith('XYZ')) return { source, shown: MARK, kind: 'masked' };
    if (source === '\xe2\x80\x8b') return { source, shown: '', kind: 'altered' };
    const shown = Buffer.from(source, 'latin1').toString('utf8');
    return { source, shown, kind: shown === '\uFFFD' && source.length === 1 ? 'altered' : 'same' };
  });
}
