import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { FairShares } from '../http/fair-shares.ts';
import { MessageBuffer } from '../raw/message-buffer.ts';

describe('shares that grow and shrink', () => {
  it('are never more than there is, leave each what is kept for it, and are all given back in the end', () => {
    const wish = fc.record({ share: fc.nat({ max: 4 }), amount: fc.nat({ max: 60 }) });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 60 }), (wishes) => {
        const budget = new FairShares<number>(100, () => 3);
        const shares = Array.from({ length: 5 }, (_, index) => ({ share: budget.open(index % 3), held: 0 }));
        for (const { share: index, amount } of wishes) {
          const holder = shares[index];
          if (holder === undefined) throw new Error('there is none');
          const after = budget.heldBy(index % 3) - holder.held + amount;
          const isResized = holder.share.resize(amount);
          if (amount <= holder.held || after <= 16) expect(isResized).toBe(true);
          if (isResized) holder.held = amount;
          expect(budget.total).toBe(shares.reduce((sum, { held }) => sum + held, 0));
          expect(budget.total).toBeLessThanOrEqual(100);
        }
        for (const { share } of shares) share[Symbol.dispose]();
        expect(budget.total).toBe(0);
      }),
    );
  });
});

describe('the room of a message', () => {
  it('is bounded by what has come, however small the pieces are', () => {
    const pieces = fc.array(fc.nat({ max: 40_000 }), { maxLength: 20, size: 'max' });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 400_000 }), (lengths, most) => {
        const parts = lengths.map((length, index) => Buffer.alloc(length, 65 + index));
        const buffer = new MessageBuffer(most);
        for (const part of parts) {
          const room = buffer.roomFor(part.length);
          buffer.push(part);
          expect(room).toBeLessThanOrEqual(Math.min(most, Math.max(65_536, 2 * buffer.bytes)));
          expect(room === 0).toBe(buffer.bytes > most || buffer.bytes === 0);
        }
        const whole = Buffer.concat(parts);
        const content = buffer.take();
        expect(content.kind).toBe(whole.length > most ? 'oversized' : 'whole');
        if (content.kind === 'whole') expect(whole.equals(content.bytes)).toBe(true);
        expect(buffer.bytes).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});
