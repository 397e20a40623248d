import { mayBeWithinSecret, type Encoding } from '@devs/core';

/** As far as a piece is shown with more before it than its margin, in bytes: no key that anybody has is longer. */
const LONGEST_RUN = 1_048_576;
const GROWTH = 4;

/**
 * How long the margin before a place has to be, given one that ends there. A key or a token of many lines may have
 * begun before it; what is shown of its body alone is not recognised. The same: it tells where a text begins.
 * @param reach bytes that there are before the place
 */
export function growMargin(margin: Uint8Array, reach: number, encoding?: Encoding): number {
  const most = Math.min(reach, LONGEST_RUN);
  if (margin.length >= most || !mayBeWithinSecret(margin, encoding)) return margin.length;
  return Math.min(most, margin.length * GROWTH);
}
