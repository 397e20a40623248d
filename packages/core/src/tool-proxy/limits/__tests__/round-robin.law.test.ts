import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { createScene, settle } from './scene.ts';

const PRINCIPALS = ['p', 'q', 'r'] as const;
/** Who asks, or that one call ends. */
const anySteps = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PRINCIPALS) }, { weight: 1, arbitrary: fc.constant('end' as const) }), { maxLength: 60 });

describe('of principals that wait for the same', () => {
  it('none has more than two turns before another that waited all the while', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, async (steps) => {
        const scene = createScene({ tools: { a: { atOnce: 1 } } });
        /** Since when each principal has had no turn although it waits: how many each other has had. */
        const passedBy = new Map<string, Map<string, number>>();
        const end = async () => {
          const before = scene.attempts.filter(({ turn }) => turn > 0).length;
          const waiting = new Set(scene.attempts.filter(({ turn }) => turn === 0).map(({ asking }) => asking.principal));
          for (const attempt of scene.attempts) attempt.leave();
          await settle();
          const begun = scene.attempts.find(({ turn }) => turn === before + 1);
          if (begun === undefined) return;
          const { principal } = begun.asking;
          passedBy.delete(principal);
          for (const other of waiting) {
            if (other === principal) continue;
            const counts = passedBy.get(other) ?? new Map<string, number>();
            passedBy.set(other, counts.set(principal, (counts.get(principal) ?? 0) + 1));
            expect(counts.get(principal)).toBeLessThanOrEqual(2);
          }
        };
        for (const step of steps) {
          if (step === 'end') await end();
          else scene.ask({ principal: step, tool: 'a' });
        }
        for (const _step of steps) await end();
        expect(scene.attempts.every(({ turn }) => turn > 0)).toBe(true);
      }),
      lawRuns(200),
    );
  });
});
