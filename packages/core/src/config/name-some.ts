/** What one warning names at most, and UTF-16 units of one name. */
const MAX_NAMES = 3;
const MAX_NAME_LENGTH = 80;

/**
 * The first names, and how many more there are. A warning stands on a screen with the others: thousands of
 * names, or a long one, must not push those off it. The whole lists are shown elsewhere.
 */
export function nameSome(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMES).map((name) => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…` : name));
  const rest = names.length - some.length;
  return some.join(', ') + (rest > 0 ? ` and ${rest.toLocaleString('en-US')} more` : '');
}
