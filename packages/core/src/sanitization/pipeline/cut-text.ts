const MARK = '[REDACTED:';
/** Units of the longest one, without its last. */
const MOST_OF_MARK = MARK.length + 100;

/** The longest start of a cleaned text of at most `maxUnits`: half a mark would be no mark, and half a pair no character. */
export function cutCleaned(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  return withoutHalf(text.slice(0, startOfHalfMark(text, maxUnits) ?? maxUnits));
}

/** Of a mark that a cut would part. What only begins as one does, far before it or with other letters, must not take all behind it away. */
function startOfHalfMark(text: string, end: number): number | undefined {
  const first = Math.max(0, end - MOST_OF_MARK);
  const nearby = text.slice(first, end + MARK.length);
  const start = nearby.lastIndexOf(MARK, end - first);
  const isOpen = start !== -1 && /^[a-z0-9:-]*$/.test(nearby.slice(start + MARK.length, end - first));
  return isOpen ? first + start : undefined;
}

/** What two cleaned texts begin with, up to where they differ: no mark and no character is parted. */
export function commonStart(one: string, other: string): string {
  const most = Math.min(one.length, other.length);
  let same = 0;
  while (same < most && one.charCodeAt(same) === other.charCodeAt(same)) same += 1;
  return cutCleaned(one.length === same ? one : one.slice(0, same + 1), same);
}

function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
