import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, STAGES, stageOf, type ErrorCode } from '../../index.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

describe('the stage of a code', () => {
  it.each(CODES)('%s has one that is described, and that fits what is known of its effects', (code) => {
    const stage = stageOf(code);
    expect(STAGES[stage]).toEqual(expect.any(String));
    const { effect } = ERROR_CODES[code];
    // What may have acted had begun to run.
    if (effect !== 'none') expect(['run', 'clean', 'append']).toContain(stage);
  });
});
