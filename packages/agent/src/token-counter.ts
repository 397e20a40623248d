/** Counts the tokens of a text: as many as the encoding has, or somewhat more. */
export type CountTokens = (text: string) => number;

/**
 * Characters that are encoded at a time. An unbroken run of n characters costs n² in byte pair encoding: 200,000
 * characters take minutes whole, and a quarter of a second in pieces. A piece more is at most a token or two more.
 */
const CHUNK_CHARACTERS = 128;
/** Of one text this much is encoded; of the rest each byte counts as a token, which is more than it can be. */
const MAX_ENCODED_CHARACTERS = 262_144;
/** Runs of characters of three and four bytes, longer than words are: a byte pair encoding is slowest there. */
const WIDE_RUN = /([^\u0000-\u07ff]{13,})/u;

/** Loads the ranks of `o200k_base` (2.4 MB): done when a conversation comes near its budget, not before. */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base');
  // It would keep 100,000 pieces of whatever it was shown, for as long as the process lives.
  setMergeCacheSize(0);
  // A text may spell a special token; to a model it is text.
  const options = { disallowedSpecial: new Set<string>() };
  return createTokenCounter((piece) => countTokens(piece, options));
}

/** Counts with `encode`, which is never given more than 128 characters at once. */
export function createTokenCounter(encode: CountTokens): CountTokens {
  return (text) => {
    const runs = text.slice(0, MAX_ENCODED_CHARACTERS).toWellFormed().split(WIDE_RUN);
    const rest = Buffer.byteLength(text.slice(MAX_ENCODED_CHARACTERS), 'utf8');
    return runs.reduce((sum, run, index) => sum + (index % 2 === 1 ? countSingly(run, encode) : countInChunks(run, encode)), rest);
  };
}

function countInChunks(text: string, encode: CountTokens): number {
  let count = 0;
  for (let start = 0; start < text.length; start += CHUNK_CHARACTERS) {
    count += encode(text.slice(start, start + CHUNK_CHARACTERS).toWellFormed());
  }
  return count;
}

/** Each character by itself: more than together, and each is looked up once. */
function countSingly(text: string, encode: CountTokens): number {
  const known = new Map<string, number>();
  let count = 0;
  for (const character of text) {
    const tokens = known.get(character) ?? encode(character);
    known.set(character, tokens);
    count += tokens;
  }
  return count;
}
