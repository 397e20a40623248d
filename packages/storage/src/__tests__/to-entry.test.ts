import { describe, expect, it } from '@jest/globals';
import { describeBlock } from '@devs/core';
import { toEntry } from '../record/to-entry.ts';

const HEADER = '{"kind":"call.finished","status":"ok"}';
const call = { seq: 1, leaf: '', header: HEADER, startPayload: null };

describe('an answer that devs did not write', () => {
  it.each(['[null]', '[5]', '["text"]', '[{}]', '[{"type":5}]', '{}', '7'])('%s is shown as damaged, and every block of it can be described', (content) => {
    const { output } = toEntry({ ...call, payload: `{"output":{"content":${content}}}` });
    expect(output?.content.map(describeBlock).join()).toContain('[not readable');
  });
});
