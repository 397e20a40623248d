import { describe, expect, it } from '@jest/globals';
import { DevsError } from '../../errors.ts';
import { PLACES, shapeAt } from './answer-shapes.ts';
import { countWork } from './counted-work.ts';
import { createPipeline } from './pipeline-scene.ts';

// `scripts/fuzz-cost.mjs` measures thousands of shapes in CPU time; here a few of each kind are counted in looks at a unit, which are the
// same on every machine.

const WAYS: ReadonlySet<string> = new Set(['text', 'page', 'string of JSON', 'structured values', 'names of JSON']);
const PLACES_HERE = PLACES.filter(({ name }) => WAYS.has(name));
const [FIRST, STEP, COUNT] = [3, 13, 45];
const UNITS = 2_000;
/** Looks at one unit, of all steps at all levels of a document; the worst that is known has half of it. */
const MOST = 2_000;

const output = { maxSizeBytes: 1_000_000, onBinary: 'replace', links: 'mark', html: 'text' } as const;
const foreign = createPipeline({ labels: ['untrusted'], output });
const own = createPipeline({ labels: ['untrusted'], output, context: { authorship: 'own' } });

function workOf(make: (units: number) => unknown, units: number, clean: (raw: unknown) => unknown): number {
  const raw = make(units);
  return countWork(() => {
    try {
      clean(raw);
    } catch (cause) {
      if (!DevsError.is(cause)) throw cause;
    }
  });
}

describe.each(PLACES_HERE.map((place) => [place.name, place] as const))('an answer of twice the units is at most 2.6 times the work: %s', (_name, place) => {
  it.each(Array.from({ length: COUNT }, (_, index) => [shapeAt(FIRST + index * STEP)]))('$name', (shape) => {
    const clean = place.way === 'page' ? own : foreign;
    const make = (units: number) => place.make(shape, units);
    const [once, twice] = [workOf(make, UNITS, clean), workOf(make, 2 * UNITS, clean)];
    expect(twice).toBeLessThanOrEqual(2.6 * Math.max(once, 20 * UNITS));
    expect(twice).toBeLessThanOrEqual(MOST * 2 * UNITS);
  });
});
