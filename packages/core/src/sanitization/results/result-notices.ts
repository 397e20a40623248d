import type { CleanBlock } from './fit-result.ts';

/** devs's own word beside an output. */
export function toNotice(text: string): CleanBlock {
  return { isNotice: true, block: { type: 'text', text } };
}

export function describeMasked(count: number): string {
  const spans = count === 1 ? '1 span is' : `${String(count)} spans are`;
  return `[devs: ${spans} masked here. Edit around the marks with surgical_edit; write_file would destroy what they stand for.]`;
}

export function describeDropped(count: number): string {
  return count === 1 ? '[devs: 1 more part was left out.]' : `[devs: ${String(count)} more parts were left out.]`;
}
