/** Every member in which two JSON values differ, as `{ path, left, right }`; `undefined` where one has none. */
export function differences(left, right, path = '') {
  if (Object.is(left, right)) return [];
  if (!isObject(left) || !isObject(right) || Array.isArray(left) !== Array.isArray(right)) return [{ path, left, right }];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => differences(left[key], right[key], Array.isArray(left) ? `${path}[${key}]` : `${path}${path === '' ? '' : '.'}${key}`));
}

/** One line, cut. */
export function showDifference({ path, left, right }) {
  return `${path}: ${show(left)} -> ${show(right)}`;
}

function show(value) {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}
