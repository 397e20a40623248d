/** Bytes of a source, from the first to before the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A place where the text that is shown is not what the source says. */
export interface Alteration {
  /** Units of the view. Both the same where something was taken out. */
  readonly start: number;
  readonly end: number;
  /** What stands there in the source. */
  readonly source: ByteRange;
  /** `masked`: a mark of devs stands for it. `altered`: bytes that are no text, controls, invisible characters. */
  readonly kind: 'masked' | 'altered';
}

/** The text of a file as an agent is shown it, and what is behind each piece of it. */
export interface TextView {
  readonly text: string;
  /** How many places there are where it is not what the source says. 0: what is shown is what is there. */
  readonly alterationCount: number;
  /**
   * What is altered between two units, from left to right, none over another; what was taken out right at one of them is
   * outside. Each is made when it is asked for: of a hostile file there are millions. All: from `-1` to `Infinity`.
   */
  alterationsIn(start: number, end: number): Iterable<Alteration>;
  /** True for a place that `sourceOf` takes: within the text, and not inside an alteration or a character. */
  isEdge(unit: number): boolean;
  /**
   * The bytes behind a piece of the view: from the first that its first unit stands for to the last that its last
   * unit does; what was taken out at its edges stays outside. Nothing of the view: the place between two bytes.
   * @throws RangeError for what is no edge, and for edges the wrong way round
   */
  sourceOf(start: number, end: number): ByteRange;
  /** Text as bytes in the encoding of the source, without a byte order mark. */
  encode(text: string): Uint8Array;
}
