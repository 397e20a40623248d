import type { ByteRange, TextView } from '@devs/core';
import { editRefused } from './edit-refused.ts';
import { FileLines } from './file-lines.ts';
import { MaskedRanges, maskedPlaces, type MaskedPlace } from './masked-places.ts';
import { findOtherPlace, isTooWide, pieceOf, widen, type Stretch } from './same-place.ts';
import type { Splice } from './splices.ts';
import type { ViewedFile } from './viewed-file.ts';

/** An edit that was worked out, and is not made yet. */
export interface Edited {
  readonly splices: readonly Splice[];
  /** All of the file as the edit leaves it. */
  readonly content: Uint8Array;
}

type View = (bytes: Uint8Array) => TextView;

/**
 * A mark that stays must stand for the same bytes as before, by the same rule. A secret is often told by what stands
 * around it: its name, its URL, the first line of a key. An edit that took that away would have the next reading show it.
 * And an agent that chose what stands around it, and was told when that makes another secret of the two, could find out
 * letter by letter what is behind a mark. So what stands in for it is asked first, and decides; the secret itself is
 * only looked at for safety, once every other would have done.
 * @param view may be asked of pieces of the file, with other letters in the place of secrets
 * @returns how many masked places go with the text around them
 * @throws DevsError EDIT_REFUSED
 */
export function refuseUnmasking(file: ViewedFile, edit: Edited, view: View): number {
  const { removed, kept, around } = survey(file, edit);
  if (around !== undefined) refuseOtherPlaces(file, edit, { around, view });
  if (kept > 0) refuseOtherMarks(file, edit, view(edit.content));
  return removed;
}

/** Bytes around all secrets whose surroundings change, before the edit and after it. */
interface Around {
  readonly before: Stretch;
  readonly after: Stretch;
}

function survey(file: ViewedFile, { splices }: Edited): { readonly removed: number; readonly kept: number; readonly around: Around | undefined } {
  let [removed, kept] = [0, 0];
  let around: Around | undefined;
  for (const { before, after, isNear } of maskedPlaces(file, splices)) {
    if (after === undefined) removed += 1;
    else kept += 1;
    if (after !== undefined && isNear) around = { before: widen(around?.before, before), after: widen(around?.after, after) };
  }
  return { removed, kept, around };
}

function refuseOtherPlaces(file: ViewedFile, { splices, content }: Edited, { around, view }: { readonly around: Around; readonly view: View }): void {
  if (isTooWide(around.before) || isTooWide(around.after)) {
    throw editRefused('there is something masked near too many of the places. Make smaller edits.');
  }
  const places: MaskedPlace[] = [];
  for (const place of maskedPlaces(file, splices)) {
    if (isWithin(place.before, around.before) || (place.after !== undefined && isWithin(place.after, around.after))) places.push(place);
  }
  const before = pieceOf(file.bytes, around.before, places.map((place) => place.before));
  const after = pieceOf(content, around.after, places.map((place) => place.after));
  const other = findOtherPlace(places, { before, after }, view);
  if (other !== undefined) refuse(file, other);
}

function isWithin({ start, end }: ByteRange, stretch: Stretch): boolean {
  return start < stretch.end && end > stretch.start;
}

function refuseOtherMarks(file: ViewedFile, { splices }: Edited, view: TextView): void {
  const marks = new MaskedRanges(view);
  const moved: MaskedPlace[] = [];
  for (const place of maskedPlaces(file, splices)) {
    if (place.after === undefined) continue;
    if (place.isMoved) moved.push(place);
    else if (!marks.has(place.after, place.mark)) refuse(file, place);
  }
  const others = marks.again();
  for (const place of moved.sort(byPlace)) {
    if (place.after !== undefined && !others.has(place.after, place.mark)) refuse(file, place);
  }
}

function byPlace(one: MaskedPlace, other: MaskedPlace): number {
  return (one.after?.start ?? 0) - (other.after?.start ?? 0);
}

/** One sentence for all: which of the ways it was would tell what is in the secret. */
function refuse(file: ViewedFile, { unit, mark }: MaskedPlace): never {
  const line = String(new FileLines(file).at(unit).before);
  throw editRefused(
    `${mark} at line ${line} would not stand for exactly what it stands for now, since it is masked for what stands around it. ` +
      'Leave that as it is, remove the two together, or ask the user to make this edit.',
  );
}
