/** Characters that end a line, move the cursor, turn the text around or cannot be seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A file name as one line can carry it. A plain name stays as it is. One with characters that cannot
 * be seen, that begins with a quote, begins or ends with a space, or ends like a mark (`@`, `?`) is
 * shown as a JSON string, which may be sent back as a path: no name can forge a line or a mark. So is one
 * in which `alsoUnusual` is found.
 */
export function quoteName(name: string, alsoUnusual?: RegExp): string {
  if (alsoUnusual?.test(name) !== true && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|^["\s]|[\s@?]$/u.test(name)) return name;
  return JSON.stringify(name).replace(UNSEEN, escapeUnits);
}

function escapeUnits(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}
