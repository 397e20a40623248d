import { Glance } from '../pipeline/glance.ts';
import type { Tally } from '../pipeline/tally.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';
import { textOf as textIn, withText, type CleanBlock } from './fit-result.ts';

/** Units at each end of a block that may belong to a tag over its edge. */
const EDGE = 512;
/** Between the two ends of a long block. No tag, trigger or token goes over it. */
const GAP = 'x<>x';

/** Units of a text, what is to stand in their place, and whose finding it is. */
interface Cut {
  readonly start: number;
  readonly end: number;
  readonly by: string;
  readonly rule: string;
  readonly step: TextStep['name'];
  readonly fingerprint?: string | undefined;
}

/** A piece of a block, and where it stands in the text of the whole row. */
interface Piece {
  readonly block: number;
  readonly from: number;
  readonly length: number;
  readonly at: number;
}

/**
 * Marks boundary tags, triggers and secrets that go over the edge of two texts side by side: a client may show both as one, and each
 * by itself holds nothing. Servers part long output at any unit, or give a block for each line of a key. Each of the blocks gets a mark
 * where its part stood.
 */
export function markOverEdges(blocks: readonly CleanBlock[], steps: readonly TextStep[], { tally, work }: Counting): readonly CleanBlock[] {
  const finders = steps.filter(({ name }) => name === 'tags' || name === 'triggers' || name === 'secrets');
  if (blocks.length < 2 || finders.length === 0) return blocks;
  const marked = [...blocks];
  for (const row of rowsOf(blocks)) if (row.length > 1) markRow(marked, row, { finders, tally, work });
  return marked;
}

/** The places of texts side by side, those of files among them. */
function rowsOf(blocks: readonly CleanBlock[]): readonly (readonly number[])[] {
  const rows: number[][] = [[]];
  for (const [index, { block, isNotice }] of blocks.entries()) {
    if (textIn(block) !== undefined && !isNotice) rows.at(-1)?.push(index);
    else rows.push([]);
  }
  return rows;
}

interface Counting {
  readonly tally: Tally;
  /** That of the result: a thousand blocks are read once more. */
  readonly work?: WorkBudget | undefined;
}

interface Finding extends Counting {
  readonly finders: readonly TextStep[];
}

function markRow(blocks: CleanBlock[], row: readonly number[], { finders, tally, work }: Finding): void {
  const { text, pieces } = joinEdges(row.map((index) => textOf(blocks[index])));
  const cuts = new Map<number, Cut[]>();
  const glance = new Glance(text, { work });
  for (const found of finders.flatMap((finder) => findIn(glance, finder)).sort((one, other) => one.start - other.start)) {
    const parts = pieces.filter(({ at, length }) => at < found.end && at + length > found.start);
    if (parts.at(0)?.block === parts.at(-1)?.block) continue;
    tally.add(found.step, found.rule);
    if (found.fingerprint !== undefined) tally.note({ rule: found.rule, fingerprint: found.fingerprint });
    for (const part of parts) noteCut(cuts, part, found);
  }
  for (const [index, ofBlock] of cuts) replaceIn(blocks, row[index] ?? -1, ofBlock);
}

/** The texts one behind the other, without what is too far from their edges. */
function joinEdges(texts: readonly string[]): { readonly text: string; readonly pieces: readonly Piece[] } {
  const pieces: Piece[] = [];
  let joined = '';
  const put = (block: number, from: number, end: number) => {
    pieces.push({ block, from, length: end - from, at: joined.length });
    joined += texts[block]?.slice(from, end) ?? '';
  };
  for (const [block, { length }] of texts.entries()) {
    put(block, 0, length <= 2 * EDGE ? length : EDGE);
    if (length <= 2 * EDGE) continue;
    joined += GAP;
    put(block, length - EDGE, length);
  }
  return { text: joined, pieces };
}

function findIn(glance: Glance, step: TextStep): readonly Cut[] {
  const found: Cut[] = [];
  step.rewrite(glance.text, { replace: (start, end, change) => found.push({ ...change, start, end, step: step.name }) }, glance);
  return found;
}

/** Of two findings one over the other, the first is marked. */
function noteCut(cuts: Map<number, Cut[]>, { block, from, length, at }: Piece, found: Cut): void {
  const ofBlock = cuts.get(block) ?? [];
  const start = Math.max(found.start, at) - at + from;
  const end = Math.min(found.end, at + length) - at + from;
  if (start >= (ofBlock.at(-1)?.end ?? 0)) ofBlock.push({ ...found, start, end });
  cuts.set(block, ofBlock);
}

function replaceIn(blocks: CleanBlock[], index: number, cuts: readonly Cut[]): void {
  const cleaned = blocks[index];
  const text = textOf(cleaned);
  if (cleaned === undefined) return;
  const kept = cuts.map(({ start, by }, at) => text.slice(cuts[at - 1]?.end ?? 0, start) + by).join('');
  blocks[index] = { ...cleaned, block: withText(cleaned.block, kept + text.slice(cuts.at(-1)?.end ?? 0)) };
}

function textOf(cleaned: CleanBlock | undefined): string {
  return (cleaned === undefined ? undefined : textIn(cleaned.block)) ?? '';
}
