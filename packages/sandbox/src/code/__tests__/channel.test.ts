import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeFrame, FRAME, FrameReader, MOST_FRAME_BYTES } from '../channel.ts';

function frame(text: string): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([header, Buffer.from(text)]);
}

describe('FrameReader', () => {
  it('gives the same messages, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat(40)), (texts, cuts) => {
        const reader = new FrameReader();
        let rest = Buffer.concat(texts.map(frame));
        const read: string[] = [];
        for (const cut of [...cuts, rest.length]) {
          read.push(...[...reader.add(rest.subarray(0, cut))].map(String));
          rest = rest.subarray(cut);
        }
        read.push(...[...reader.add(rest)].map(String));
        expect(read).toEqual(texts);
      }),
    );
  });

  it('refuses a long message by its length alone', () => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(MOST_FRAME_BYTES + 1);
    expect(() => [...new FrameReader().add(header)]).toThrow(RangeError);
  });

  it('keeps nothing of what it is given: a message that comes byte by byte would weigh a hundred times as much', () => {
    const reader = new FrameReader();
    const given = Buffer.alloc(1);
    const read = [...frame('slowly')].flatMap((byte) => {
      given[0] = byte;
      return [...reader.add(given)];
    });
    expect(read.map(String)).toEqual(['slowly']);
  });

  it('takes the longest one', () => {
    const text = 'x'.repeat(MOST_FRAME_BYTES);
    expect([...new FrameReader().add(frame(text))].map(String)).toEqual([text]);
  });
});

describe('encodeFrame', () => {
  it('counts bytes, not characters', () => {
    expect(encodeFrame(FRAME.error, 7, 'é')).toEqual(Buffer.from([0, 0, 0, 7, 1, 0, 0, 0, 7, 0xc3, 0xa9]));
  });
});
