/** Of each script and kind something, for what a pattern names by its property and not by its characters. */
const USUAL = [
  '\0\t\n\v\f\r !"#$%&\'()*+,-./09:;<=>?@AKSZ[\\]^_`aksz{|}~', '\x7f\x85\xa0\xad\xabéßÅıſKİ', 'αЖאكा漢アㅎ가ก', '\u0301\u200b\u200c\u200d\u202e\u2028\ufeff\ufe0f‘“„¿（＜𝐚😀', '\ud800', '\udc00', '\ue000',
].flatMap((row) => Array.from(row));

/** Which characters an element takes: the engine is asked for one at a time. */
function testOf(raw, flags) {
  const one = new RegExp(`^(?:${raw})$`, flags.replaceAll(/[gymd]/g, ''));
  return (character) => one.test(character);
}

/**
 * Enough characters to tell the elements of a pattern apart: those at the edges of each range that it names, and some of
 * every kind.
 */
export class Characters {
  #flags;
  #known = new Map();

  constructor(codePoints, flags) {
    const edges = [...codePoints].flatMap((point) => [point - 1, point, point + 1]).filter((point) => point >= 0 && point <= 0x10_ffff);
    const characters = new Set([...USUAL, ...edges.map((point) => String.fromCodePoint(point))]);
    this.#flags = flags;
    this.all = [...characters].flatMap((each) => (flags.includes('i') ? [each, each.toLowerCase(), each.toUpperCase()] : [each])).filter((each, index, list) => list.indexOf(each) === index);
    this.every = (1n << BigInt(this.all.length)) - 1n;
  }

  /** The set of what an element takes, a bit for each character. */
  setOf(raw) {
    const known = this.#known.get(raw);
    if (known !== undefined) return known;
    const takes = testOf(raw, this.#flags);
    const set = this.all.reduce((bits, character, index) => (takes(character) ? bits | (1n << BigInt(index)) : bits), 0n);
    this.#known.set(raw, set);
    return set;
  }

  /** One of a set, for people to read where there is one. */
  pick(set) {
    const members = this.all.filter((_, index) => (set >> BigInt(index)) & 1n);
    return members.find((each) => /[a-z0-9]/i.test(each)) ?? members.find((each) => /[!-~]/.test(each)) ?? members[0];
  }
}
