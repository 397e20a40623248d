import type { Alteration, ByteRange, TextView } from '@devs/core';
import { editRefused } from './edit-refused.ts';
import { FileLines } from './file-lines.ts';
import type { Splice } from './splices.ts';
import type { ViewedFile } from './viewed-file.ts';

/** Bytes that a mark stood for. */
interface Secret {
  /** Where the mark is in the view of the file as it was. */
  readonly unit: number;
  /** Where the bytes are once the edit is made; nothing: they are gone. */
  readonly range: ByteRange | undefined;
  /** Put back at another place than they were. */
  readonly isMoved: boolean;
}

/**
 * A secret is often told by what stands around it: its name, its URL, the first line of a key. An edit that took that
 * away would have the next reading show it, and nobody would have meant to.
 * @param viewAfter of the file as the edit leaves it; asked for only if anything was masked
 * @returns how many masked places go with the text around them
 * @throws DevsError EDIT_REFUSED
 */
export function refuseUnmasking(file: ViewedFile, splices: readonly Splice[], viewAfter: () => TextView): number {
  const moved: Secret[] = [];
  let removed = 0;
  let inPlace: MaskedRanges | undefined;
  for (const secret of secretsAfter(file, splices)) {
    inPlace ??= new MaskedRanges(viewAfter());
    if (secret.range === undefined) removed += 1;
    else if (secret.isMoved) moved.push(secret);
    else if (!inPlace.cover(secret.range)) refuse(file, secret);
  }
  const others = inPlace?.again();
  for (const secret of moved.sort(byPlace)) {
    if (secret.range !== undefined && others?.cover(secret.range) === false) refuse(file, secret);
  }
  return removed;
}

/** In the order of the file as it was. */
function* secretsAfter(file: ViewedFile, splices: readonly Splice[]): Generator<Secret> {
  const moved = placesOfMoved(splices);
  let next = 0;
  let shift = 0;
  for (const { start: unit, source, kind } of file.alterationsIn(-1, Infinity)) {
    if (kind !== 'masked') continue;
    for (let splice = splices[next]; splice !== undefined && splice.source.end <= source.start; splice = splices[next]) {
      shift += growthOf(splice);
      next += 1;
    }
    const isReplaced = (splices[next]?.source.start ?? Infinity) < source.end;
    const start = isReplaced ? moved.get(source.start) : source.start + shift;
    const range = start === undefined ? undefined : { start, end: start + source.end - source.start };
    yield { unit, range, isMoved: isReplaced };
  }
}

/** Where the bytes of each moved mark begin in the new file, by where they began. */
function placesOfMoved(splices: readonly Splice[]): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  let shift = 0;
  for (const splice of splices) {
    for (const { from, at } of splice.moved) places.set(from.start, splice.source.start + shift + at);
    shift += growthOf(splice);
  }
  return places;
}

function growthOf({ source, bytes }: Splice): number {
  return bytes.length - (source.end - source.start);
}

/** What is masked in a view, to be asked from left to right. */
class MaskedRanges {
  readonly #view: TextView;
  readonly #alterations: Iterator<Alteration>;
  #source: ByteRange | undefined;

  constructor(view: TextView) {
    this.#view = view;
    this.#alterations = view.alterationsIn(-1, Infinity)[Symbol.iterator]();
    this.#advance();
  }

  again(): MaskedRanges {
    return new MaskedRanges(this.#view);
  }

  /** True when all of these bytes are behind one mark. */
  cover({ start, end }: ByteRange): boolean {
    while (this.#source !== undefined && this.#source.end <= start) this.#advance();
    return this.#source !== undefined && this.#source.start <= start && this.#source.end >= end;
  }

  #advance(): void {
    let next = this.#alterations.next();
    while (next.done !== true && next.value.kind !== 'masked') next = this.#alterations.next();
    this.#source = next.done === true ? undefined : next.value.source;
  }
}

function byPlace(one: Secret, other: Secret): number {
  return (one.range?.start ?? 0) - (other.range?.start ?? 0);
}

function refuse(file: ViewedFile, { unit }: Secret): never {
  const mark = file.text.slice(unit, file.text.indexOf(']', unit) + 1);
  const line = String(new FileLines(file).at(unit).before);
  throw editRefused(
    `what is behind ${mark} at line ${line} would be shown from then on, since it is masked for what stands around it. ` +
      'Leave that as it is, remove the two together, or ask the user to make this edit.',
  );
}
