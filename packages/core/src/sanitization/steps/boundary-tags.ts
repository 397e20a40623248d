import { OPENER } from '../../protocol/unit-kinds.ts';
import { toFoldedPattern } from '../pipeline/folded-view.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';
import type { Rewriter, TextStep } from '../pipeline/text-step.ts';
import type { TextRange } from '../pipeline/view-builders.ts';

const TAG = { by: '[REDACTED:tag]', rule: 'boundary' } as const;

/**
 * Boundary tags of any spelling, opening or closing, become `[REDACTED:tag]`: one in a tool's output would end the
 * boundary that the output stands in, or open a false one (seed 001). A tag without an end is taken to the end of its
 * name. What stands left and right of a mark never meets: the mark stays between.
 */
export const boundaryTags: TextStep = {
  name: 'tags',
  rewrite(text, rewriter, glance) {
    if ((glance.kinds & OPENER) === 0 && !glance.hasForms) return;
    const { view, work } = glance;
    if (view === undefined) redact(text, { rewriter, work, toSource: (range) => range });
    else redact(view.text, { rewriter, work, toSource: ({ start, end }) => view.sourceOf(start, end) });
  },
};

const EXTERNAL = toFoldedPattern('external');
const CONTENT = toFoldedPattern('content');

/** Slashes, spaces, `!`, … before a name. No opener: of a row of them only the last is looked at. */
const LEAD = String.raw`[^\p{L}\p{N}<>[\]{}]{0,32}`;
const SLASHES = String.raw`[\s\\]{0,8}/[\s\\/]{0,8}`;
/** `x:` of XML; also as other formats part the two. */
const PREFIX = String.raw`(?:[\p{L}\p{N}_-]{1,32}[:|.][\s\\]{0,4})?`;

/** Between the two halves of the name: a hyphen, as devs writes it, escaped or apart; a sign of another language; anything or nothing. */
const HYPHENS = String.raw`[\s\\*_.:|~+]{0,8}-{1,8}[\s\\*_.:|~+-]{0,8}`;
const SIGNS = String.raw`[\\]{0,4}[_|*~+][_|*~+\\]{0,8}`;
const ANYTHING = String.raw`[^\p{L}\p{N}<>="'(),;/[\]{}]{0,16}`;
const SOMETHING = String.raw`[^\p{L}\p{N}<>="'(),;/[\]{}]{1,16}`;

/** Behind the name: what parts it from its number, and the number. */
const JOINER = String.raw`[-_.:|*~+\\]`;
const NUMBER = String.raw`[-_.:|*~+\\\s]{1,4}(?=[0-9a-fA-F]{6})`;
const REST_OF_NAME = String.raw`(?:[\p{L}\p{N}\p{M}_.:-]|\\(?=[_.:-])){0,128}`;

/**
 * Up to the end of its name, as a view shows it. With a hyphen between its halves it is a tag however it begins. With anything else
 * there, or nothing, only where it closes, has a number, or is a whole element: `<external content="…">`, `<ExternalContent/>`,
 * `i < external_content_length` and `[external content]` are what people write. All quantifiers are bounded.
 */
const ANGLED = `<(?:${[
  `${LEAD}${PREFIX}${EXTERNAL}${HYPHENS}${CONTENT}`,
  `${SLASHES}${PREFIX}${EXTERNAL}${SOMETHING}${CONTENT}`,
  `${SLASHES}${PREFIX}${EXTERNAL}${CONTENT}(?=${JOINER})`,
  `${LEAD}${PREFIX}${EXTERNAL}${ANYTHING}${CONTENT}${NUMBER}`,
  String.raw`${LEAD}${PREFIX}${EXTERNAL}${SIGNS}${CONTENT}(?=\s{0,8}/?>|\s{1,8}[\p{L}_:][\p{L}\p{N}_:.-]{0,64}\s{0,8}=)`,
].join('|')})`;
const BRACKETED = String.raw`[[{](?:${[
  String.raw`${SLASHES}${PREFIX}${EXTERNAL}${SOMETHING}${CONTENT}(?=${JOINER}|\s{0,8}[\]}])`,
  `${SLASHES}${PREFIX}${EXTERNAL}${CONTENT}(?=${JOINER})`,
  `${LEAD}${PREFIX}${EXTERNAL}${ANYTHING}${CONTENT}${NUMBER}`,
].join('|')})`;
const NAME = new RegExp(`(?:${ANGLED}|${BRACKETED})${REST_OF_NAME}`, 'uy');

/**
 * The end, with attributes before it or without: `a < external - content) { … } c > 3` is no tag up to its last angle. Over
 * no other angle: thousands of tags without an end must not cost a square.
 */
const REST = new RegExp(String.raw`[\s\\]{0,8}/?[\s\\]{0,8}[>\]}]|\s{1,8}[\p{L}_:][\p{L}\p{N}_:.-]{0,64}\s{0,8}=[^<>]{0,1024}>`, 'uy');

/**
 * In every name, with what stands behind it in every name. Pages and documents are full of what a tag could begin with, and nearly none
 * says this. Between the halves of a name stand at most 24 signs, each of two units at most.
 */
const IN_NAME = /[xX][tT][eE][rR][nN][aA](?=[lLI1|\u0131][^A-Za-z0-9]{0,48}[cC][oO])/g;

const OPENERS: ReadonlySet<number> = new Set(Array.from('<[{', (opener) => opener.charCodeAt(0)));
/** Units from an opener to what is in every name, at most. */
const LONGEST_LEAD = 256;

/** Steps of one look at what may be a name. */
const NAME_LOOK = 120;

interface Target {
  readonly rewriter: Rewriter;
  readonly work: WorkBudget | undefined;
  readonly toSource: (range: TextRange) => TextRange;
}

/** No name goes over a second opener: of all before a place, only the last can be that of the name there. */
function redact(read: string, { rewriter, work, toSource }: Target): void {
  let decided = 0;
  IN_NAME.lastIndex = 0;
  while (IN_NAME.test(read)) {
    work?.spend(NAME_LOOK);
    const at = IN_NAME.lastIndex;
    const start = lastOpener(read, decided, at);
    NAME.lastIndex = start;
    if (start >= 0 && NAME.test(read)) {
      decided = NAME.lastIndex;
      REST.lastIndex = decided;
      const found = toSource({ start, end: REST.test(read) ? REST.lastIndex : decided });
      rewriter.replace(found.start, found.end, TAG);
    } else {
      decided = at;
    }
    IN_NAME.lastIndex = decided;
  }
}

/** Of one that was looked at before, it is known that no name is behind it. */
function lastOpener(read: string, from: number, before: number): number {
  for (let at = before - 1; at >= Math.max(from, before - LONGEST_LEAD); at -= 1) if (OPENERS.has(read.charCodeAt(at))) return at;
  return -1;
}
