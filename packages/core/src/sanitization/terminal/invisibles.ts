import { HiddenCharacterScan } from '../../protocol/hidden-characters.ts';
import { ESCAPER, HIDDEN } from '../../protocol/unit-kinds.ts';
import type { Change, TextStep } from '../pipeline/text-step.ts';
import { EntityGuard, hiddenEntityReader } from './hidden-entities.ts';

/** Steps of one look for them, however short the text is. */
const SCAN = 400;

/**
 * Takes out the characters that a person does not see and a model reads, as they are or as entities of HTML, but where people
 * write them: joiners in scripts that join, emoji sequences, marks of direction beside letters that run from right to left. What is kept
 * depends on what is kept before it and on a visible character behind it alone, so that a second run finds nothing.
 */
export const invisibles: TextStep = {
  name: 'invisibles',
  rewrite: (text, rewriter, { kinds, work }) => {
    const mayHoldEntities = (kinds & ESCAPER) !== 0 && text.includes('&');
    const readEntity = mayHoldEntities ? hiddenEntityReader(text) : undefined;
    if ((kinds & HIDDEN) === 0 && readEntity === undefined) return;
    work?.spend(SCAN);
    const guard = mayHoldEntities ? new EntityGuard(text) : undefined;
    const scan = new HiddenCharacterScan(text, { readEntity });
    // Hidden characters come in rows of one kind.
    let [code, change] = [-1, OTHER];
    while (scan.next()) {
      if (scan.code !== code) [code, change] = [scan.code, changeOf(scan.code)];
      rewriter.replace(scan.start, scan.end, guard?.joins(scan.start, scan.end) === true ? { ...change, by: ' ' } : change);
    }
  },
};

const TAG: Change = { by: '', rule: 'tag' };
const BIDI: Change = { by: '', rule: 'bidi' };
const VARIATION_SELECTOR: Change = { by: '', rule: 'variation-selector' };
const PRIVATE_USE: Change = { by: '', rule: 'private-use' };
const ZERO_WIDTH: Change = { by: '', rule: 'zero-width' };
const OTHER: Change = { by: '', rule: 'other' };
/** The gaps of hidden-characters.ts, which leave white space. */
const SEPARATOR: Change = { by: '\n', rule: 'separator' };
const BLANK: Change = { by: ' ', rule: 'blank' };

const TABLE: readonly (readonly [first: number, last: number, change: Change])[] = [
  [0x061c, 0x061c, BIDI],
  [0x180b, 0x180d, VARIATION_SELECTOR],
  [0x180f, 0x180f, VARIATION_SELECTOR],
  [0x200b, 0x200d, ZERO_WIDTH],
  [0x200e, 0x200f, BIDI],
  [0x2028, 0x2029, SEPARATOR],
  [0x202a, 0x202e, BIDI],
  [0x2060, 0x2064, ZERO_WIDTH],
  [0x2066, 0x2069, BIDI],
  [0x2800, 0x2800, BLANK],
  [0xe000, 0xf8ff, PRIVATE_USE],
  [0xfe00, 0xfe0f, VARIATION_SELECTOR],
  [0xfeff, 0xfeff, ZERO_WIDTH],
  [0xe0000, 0xe007f, TAG],
  [0xe0100, 0xe01ef, VARIATION_SELECTOR],
  [0xf0000, 0xffffd, PRIVATE_USE],
  [0x100000, 0x10fffd, PRIVATE_USE],
];

function changeOf(code: number): Change {
  return TABLE.find(([first, last]) => code >= first && code <= last)?.[2] ?? OTHER;
}
