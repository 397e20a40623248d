/** As far as a piece is shown with more before it than its margin, in bytes: no key that anybody has is longer. */
const LONGEST_RUN = 1_048_576;
const GROWTH = 4;
/** What of a margin may be the lines between the first line of a key and its body. */
const HEAD_PART = 16;

/**
 * How long the margin before a place has to be, given one that ends there. A key or a token of many lines may have
 * begun before it; what is shown of its body alone is not recognised. The same: it tells where a text begins.
 * @param reach bytes that there are before the place
 */
export function growMargin(margin: Uint8Array, reach: number): number {
  const most = Math.min(reach, LONGEST_RUN);
  const isTelling = margin.length >= most || holdsBreak(margin.subarray(Math.floor(margin.length / HEAD_PART)));
  return isTelling ? margin.length : Math.min(most, margin.length * GROWTH);
}

/** True when there is anything that the body of no key and no token holds, as a space between two words. */
function holdsBreak(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (IS_BODY[byte] === 1) continue;
    if (byte === BACKSLASH && isEscapedEnd(bytes[index + 1])) continue;
    if (!isBlank(byte)) return true;
    const before = bytes[index - 1] ?? LINE_FEED;
    while (isBlank(bytes[index + 1])) index += 1;
    if (!isLineEnd(before) && !isLineEnd(bytes[index + 1] ?? LINE_FEED)) return true;
  }
  return false;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BACKSLASH = 0x5c;
/** NUL too: of UTF-16, each second byte. */
const IS_BODY = Uint8Array.from({ length: 256 }, (_, byte) => (/[A-Za-z0-9+/=_.\-\r\n\0]/.test(String.fromCharCode(byte)) ? 1 : 0));

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

function isLineEnd(byte: number): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

/** The letter of a line end that is written as an escape. */
function isEscapedEnd(byte: number | undefined): boolean {
  return byte === 0x6e || byte === 0x72;
}
