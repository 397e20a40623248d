import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChangeMap, type ChangeCursor } from '../change-map.ts';

const cause = { step: 'tags', rule: 'r' } as const;

interface Change {
  readonly sourceStart: number;
  readonly sourceEnd: number;
  readonly viewStart: number;
  readonly viewEnd: number;
}

/** A map, and the same in plain objects; no two deletions lie side by side. */
function mapOf(steps: readonly (readonly [gap: number, length: number, viewLength: number])[]) {
  const map = new ChangeMap();
  const changes: Change[] = [];
  let [source, view] = [0, 0];
  for (const [gap, length, viewLength] of steps) {
    const change = { sourceStart: source + gap, sourceEnd: source + gap + length, viewStart: view + gap, viewEnd: view + gap + viewLength };
    map.add({ start: change.sourceStart, end: change.sourceEnd, viewLength, cause });
    changes.push(change);
    [source, view] = [change.sourceEnd, change.viewEnd];
  }
  return { map, changes };
}

function changeAt({ sourceStart, sourceEnd, viewStart, viewEnd }: ChangeCursor): Change {
  return { sourceStart, sourceEnd, viewStart, viewEnd };
}

const BEYOND: Change = { sourceStart: Infinity, sourceEnd: Infinity, viewStart: Infinity, viewEnd: Infinity };
const anyStep = fc.tuple(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3_000_000 })), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 400 }));

describe('a map of changes', () => {
  it('gives back what was added, over many blocks', () => {
    const { map, changes } = mapOf(Array.from({ length: 5_000 }, (_, index) => [1 + (index % 300), index % 5, (index * 7) % 200] as const));
    const cursor = map.cursor();
    for (const change of changes) {
      expect(changeAt(cursor)).toEqual(change);
      expect(cursor.shift).toBe(change.sourceStart - change.viewStart);
      cursor.advance();
    }
    expect(cursor.isDone).toBe(true);
    expect(map.length).toBe(5_000);
    expect(() => {
      cursor.advance();
    }).toThrow(RangeError);
  });

  it('finds the first change behind a place, whichever was asked before', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 1_500, size: 'max' }), fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: -1, max: 1 }))), (steps, asked) => {
        const { map, changes } = mapOf(steps);
        const cursor = map.cursor();
        for (const [part, by] of asked) {
          const near = changes[Math.floor(part * (changes.length - 1))] ?? BEYOND;
          const [view, source] = near === BEYOND ? [0, 0] : [near.viewEnd + by, near.sourceEnd + by];
          cursor.toView(view);
          expect(changeAt(cursor)).toEqual(changes.find(({ viewEnd }) => viewEnd > view) ?? BEYOND);
          cursor.toSource(source);
          expect(changeAt(cursor)).toEqual(changes.find(({ sourceEnd }) => sourceEnd > source) ?? BEYOND);
          cursor.toViewEdge(view);
          expect(changeAt(cursor)).toEqual(changes.find(({ viewStart, viewEnd }) => viewEnd > view || viewStart >= view) ?? BEYOND);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes some four bytes for a change of a hostile file', () => {
    const map = new ChangeMap();
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < 1_000_000; index += 1) map.add({ start: 2 * index, end: 2 * index + 1, viewLength: 1, cause });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(6_000_000);
    expect(map.length).toBe(1_000_000);
  });
});
