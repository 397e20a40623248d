import type { CapturedOutput, RawContent } from '@devs/core';

const LINE_FEED = 0x0a;

/** An output as it is shown: all of it, or its beginning and its end, in whole lines, and how much is missing between them. */
export function outputBlocks({ head, tail, omitted }: CapturedOutput): readonly RawContent[] {
  if (omitted === 0) {
    const whole = Buffer.concat([head, tail]);
    return whole.length === 0 ? [] : [{ type: 'text', text: whole }];
  }
  const [begin, cutOff] = untilLastLine(head);
  const [skipped, end] = fromFirstLine(tail);
  const missing = omitted + cutOff + skipped;
  return [
    { type: 'text', text: begin },
    { type: 'notice', text: `[devs: ${missing.toLocaleString('en-US')} bytes are left out here.]` },
    { type: 'text', text: end },
  ];
}

/** Of a single line without an end the whole: half of it is more than nothing. */
function untilLastLine(bytes: Uint8Array): readonly [kept: Uint8Array, dropped: number] {
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  return end === 0 ? [bytes, 0] : [bytes.subarray(0, end), bytes.length - end];
}

function fromFirstLine(bytes: Uint8Array): readonly [dropped: number, kept: Uint8Array] {
  const start = bytes.indexOf(LINE_FEED) + 1;
  return [start, bytes.subarray(start)];
}
