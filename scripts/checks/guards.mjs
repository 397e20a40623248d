import { readRequirements, requirementsPage, rowsOf } from '../lib/requirements.mjs';
import { GUARDS } from './guards.config.mjs';
import { finding } from './source.mjs';

const config = 'scripts/checks/guards.config.mjs';

/** Every requirement has one guard that `pnpm guards` can remove, and every guard is still where its entry says. */
export function checkGuards(files, guards = GUARDS) {
  const rows = readRequirements(files.get(requirementsPage) ?? '');
  const guarded = new Map();
  const ofEntries = guards.flatMap((guard) => entryFindings(files, guard, { rows, guarded }));
  const bare = rows.filter((row) => !guarded.has(row.number));
  return [...ofEntries, ...bare.map(({ number, requirement }) => finding(requirementsPage, number, `No entry of ${config} removes the guard of "${requirement}".`))];
}

function entryFindings(files, [start, found, replacement], { rows, guarded }) {
  const say = (message) => [finding(config, 1, `"${start}": ${message}`)];
  const [row, other] = rowsOf(rows, start);
  if (row === undefined) return say('no requirement begins so.');
  if (other !== undefined) return say('more than one requirement begins so; write more of it.');
  if (guarded.has(row.number)) return say('this requirement has an entry already.');
  guarded.set(row.number, start);
  if (found === replacement) return say('the replacement is the text itself: nothing is removed.');
  const text = files.get(row.file ?? '') ?? '';
  const times = text.split(found).length - 1;
  return times === 1 ? [] : say(`its text occurs ${times} times in ${row.file}; it must occur once.`);
}
