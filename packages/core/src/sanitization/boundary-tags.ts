import { ANGLE } from '../protocol/unit-kinds.ts';
import { toFoldedPattern, type TextRange } from './folded-view.ts';
import type { Rewriter, TextStep } from './text-step.ts';

const TAG = { by: '[REDACTED:tag]', rule: 'boundary' } as const;

/**
 * Boundary tags of any spelling, opening or closing, become `[REDACTED:tag]`: one in a tool's output would end the
 * boundary that the output stands in, or open a false one (seed 001). A tag without an end is taken to the end of its
 * name. What stands left and right of a mark never meets: the mark stays between.
 */
export const boundaryTags: TextStep = {
  name: 'tags',
  rewrite(text, rewriter, glance) {
    if ((glance.kinds & ANGLE) === 0 && !glance.hasForms) return;
    const { view } = glance;
    if (view === undefined) redact(text, { rewriter, toSource: (range) => range });
    else redact(view.text, { rewriter, toSource: ({ start, end }) => view.sourceOf(start, end) });
  },
};

/**
 * Up to the end of its name, as a view shows it: an opening angle, what may stand before a name (slashes, spaces,
 * backslashes, `!`), the name with its hyphens doubled, apart or escaped as in Markdown, and the rest of it. All quantifiers are bounded.
 */
const NAME = new RegExp([
  String.raw`<[^\p{L}\p{N}<>]{0,32}`,
  toFoldedPattern('external'),
  String.raw`[\s\\]{0,8}-{1,8}[\s\\]{0,8}`,
  toFoldedPattern('content'),
  String.raw`(?:[\p{L}\p{N}\p{M}_.:-]|\\(?=[_.:-])){0,128}`,
].join(''), 'uy');

/**
 * The end, with attributes before it or without: `a < external - content) { … } c > 3` is no tag up to its last angle. Over
 * no other angle: thousands of tags without an end must not cost a square.
 */
const REST = new RegExp(String.raw`[\s\\]{0,8}/?[\s\\]{0,8}>|\s{1,8}[\p{L}_:][\p{L}\p{N}_:.-]{0,64}\s{0,8}=[^<>]{0,1024}>`, 'uy');

interface Target {
  readonly rewriter: Rewriter;
  readonly toSource: (range: TextRange) => TextRange;
}

function redact(read: string, { rewriter, toSource }: Target): void {
  for (let start = read.indexOf('<'); start !== -1; ) {
    NAME.lastIndex = start;
    if (!NAME.test(read)) {
      start = read.indexOf('<', start + 1);
      continue;
    }
    REST.lastIndex = NAME.lastIndex;
    const found = toSource({ start, end: REST.test(read) ? REST.lastIndex : NAME.lastIndex });
    rewriter.replace(found.start, found.end, TAG);
    start = read.indexOf('<', NAME.lastIndex);
  }
}
