import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../__tests__/law-runs.ts';
import { createOutputSanitizer } from '../output-sanitizer.ts';

const SENTINEL = '\n[OUTPUT TRUNCATED - exceeded maxToolOutputBytes limit]';

/** The law that is broken, or nothing: an `expect` for each of 20,000 inputs would take longer than the work. */
function brokenLaw(text: string, limit: number): string | undefined {
  if (Buffer.byteLength(text, 'utf8') > limit) return 'over the limit';
  if (!text.isWellFormed()) return 'not well formed';
  if (text.includes('\u0000')) return 'holds a NUL';
  if (JSON.parse(JSON.stringify(text)) !== text) return 'changed by JSON';
  if (Buffer.from(text, 'utf8').toString('utf8') !== text) return 'changed by UTF-8';
  const again = createOutputSanitizer({ mcp: { maxToolOutputBytes: limit } }).clean(text);
  if (again.truncated || again.text !== text) return 'not idempotent';
  return undefined;
}

/** mulberry32: small, seeded, good enough. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Bytes that begin, continue, break and mark characters: uniform ones seldom make a whole character. */
const TELLING = [0x00, 0x0a, 0x22, 0x5c, 0x61, 0x80, 0xac, 0xbb, 0xbf, 0xc3, 0xd8, 0xe2, 0x82, 0xed, 0xef, 0xf0, 0x9f, 0x98, 0xfe, 0xff];

function randomBytes(random: (below: number) => number): Buffer {
  const bytes = Buffer.alloc(random(120));
  const isTelling = random(2) === 0;
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = isTelling ? (TELLING[random(TELLING.length)] ?? 0) : random(256);
  }
  return bytes;
}

const anyLimit = fc.integer({ min: 0, max: 200 });
/** Of its full length: fast-check's default stops at 10 characters, which no limit of these laws would cut. */
const anyText = fc.string({ unit: 'binary', maxLength: 150, size: 'max' });
/** Code units one by one: lone surrogates, pairs the wrong way round, NULs. */
const anyUnits = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7ff, max: 0xe000 }), fc.constant(0)), { maxLength: 150, size: 'max' })
  .map((units) => String.fromCharCode(...units));

describe('the laws of the sanitizer', () => {
  it('hold for 20,000 random buffers with random small limits', () => {
    const random = createRandom(801);
    const broken: string[] = [];
    for (let run = 0; run < 20_000; run += 1) {
      const bytes = randomBytes(random);
      const limit = random(130);
      const law = brokenLaw(createOutputSanitizer({ mcp: { maxToolOutputBytes: limit } }).sanitize(bytes), limit);
      if (law !== undefined) broken.push(`${law}: ${bytes.toString('hex')} at ${limit}`);
    }
    expect(broken).toEqual([]);
  });

  it('hold for any bytes, string and text', () => {
    const anything = fc.oneof(fc.uint8Array({ maxLength: 300, size: 'max' }), anyText, anyUnits);
    fc.assert(
      fc.property(anything, anyLimit, (raw, limit) => {
        const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: limit } });
        expect(brokenLaw(sanitizer.sanitize(raw), limit)).toBeUndefined();
        if (typeof raw === 'string') expect(brokenLaw(sanitizer.sanitizeText(raw), limit)).toBeUndefined();
      }),
      lawRuns(2_000),
    );
  });

  it('text that is well formed and fits passes unchanged', () => {
    const good = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((text) => !text.includes('\u0000'));
    const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: 100_000 } });
    fc.assert(
      fc.property(good, (text) => {
        expect(sanitizer.sanitizeText(text)).toBe(text);
        const bytes = Buffer.from(text, 'utf8');
        const hasMark = text.startsWith('\ufeff');
        expect(sanitizer.sanitize(bytes)).toBe(hasMark ? text.slice(1) : text);
      }),
      lawRuns(500),
    );
  });

  it('what is cut is a start of the whole, as long as it can be, and the sentinel', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: SENTINEL.length, max: 300 }), (raw, limit) => {
        const whole = raw.replaceAll('\u0000', '').toWellFormed();
        const { text, truncated } = createOutputSanitizer({ mcp: { maxToolOutputBytes: limit } }).clean(raw);
        expect(truncated).toBe(Buffer.byteLength(whole) > limit);
        if (!truncated) return;
        const kept = text.slice(0, -SENTINEL.length);
        const next = String.fromCodePoint(whole.codePointAt(kept.length) ?? 0);
        expect(text).toBe(kept + SENTINEL);
        expect(whole.startsWith(kept)).toBe(true);
        expect(Buffer.byteLength(kept + next) + SENTINEL.length).toBeGreaterThan(limit);
      }),
      lawRuns(1_000),
    );
  });
});
