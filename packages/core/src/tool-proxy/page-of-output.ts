import type { OutputConfig } from '../config/output-config.ts';

/** Bytes. With a budget that holds no more than its notices nobody would ever come to the end of an output. */
const LEAST = 1_024;
/** Units that a page is longer than its budget, so that it is cut where the budget ends. */
const BEYOND = 1_024;

/** A page of what was judged and made text as a whole: it is no document by itself, and has no end to show. */
export function toPageConfig(config: OutputConfig): OutputConfig {
  return { ...config, maxSizeBytes: Math.max(config.maxSizeBytes, LEAST), strategy: 'head', validateJson: false, html: 'keep' };
}

/** Units of what is kept that are looked at for one page. */
export function unitsOfPage({ maxSizeBytes }: OutputConfig): number {
  return Math.max(maxSizeBytes, LEAST) + BEYOND;
}
