/** The longest start of a cleaned text of at most `maxUnits`: half a mark would be no mark, and half a pair no character. */
export function cutCleaned(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const start = text.lastIndexOf('[REDACTED:', maxUnits);
  const isInside = start !== -1 && !text.slice(start, maxUnits).includes(']');
  return withoutHalf(text.slice(0, isInside ? start : maxUnits));
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
