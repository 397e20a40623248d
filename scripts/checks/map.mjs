import { codeSpans, readMarkdown, sectionOf } from './markdown.mjs';
import { errorCodes } from './pages.mjs';
import { finding } from './source.mjs';

export const mapPage = 'docs/architecture/map.md';
const advice = 'Run `pnpm check --write`.';

/** Rows that begin with a folder, ``| `packages/core` | … |``, with what their second cell says. */
function rowsOf(lines) {
  return lines.flatMap(({ number, line }) => {
    const match = /^\|\s*`([^`]+)`\s*\|\s*(.*?)\s*\|\s*$/.exec(line);
    return match === null ? [] : [{ number, folder: match[1], said: match[2] }];
  });
}

function packagesOf(files) {
  return [...files].flatMap(([file, text]) => {
    const folder = /^(packages\/[^/]+)\/package\.json$/.exec(file)?.[1];
    return folder === undefined ? [] : [{ folder, said: JSON.parse(text).description ?? '' }];
  });
}

/** Folders that hold a file themselves, tests left out. A package stands for its `src`. */
function foldersOf(files) {
  const folders = [...files.keys()].filter((file) => file.includes('/') && !file.includes('/__tests__/')).map((file) => file.slice(0, file.lastIndexOf('/')));
  return new Set(folders.filter((folder) => !/^packages\/[^/]+(\/src)?$/.test(folder)));
}

function packageFindings(files, rows) {
  const packages = packagesOf(files);
  const stale = packages.filter(({ folder, said }) => rows.find((row) => row.folder === folder)?.said !== said);
  const gone = rows.filter(({ folder }) => !packages.some((entry) => entry.folder === folder));
  return [
    ...stale.map(({ folder }) => finding(mapPage, 1, `The row of ${folder} is not the description in its package.json. ${advice}`)),
    ...gone.map(({ number, folder }) => finding(mapPage, number, `There is no package ${folder}. ${advice}`)),
  ];
}

function folderFindings(files, rows) {
  const folders = foldersOf(files);
  const missing = [...folders].filter((folder) => !rows.some((row) => row.folder === folder));
  const gone = rows.filter(({ folder }) => !folders.has(folder));
  const mute = rows.filter(({ said }) => said === '');
  return [
    ...missing.map((folder) => finding(mapPage, 1, `The folder ${folder} has no row.`)),
    ...gone.map(({ number, folder }) => finding(mapPage, number, `There is no folder ${folder}.`)),
    ...mute.map(({ number, folder }) => finding(mapPage, number, `The row of ${folder} says nothing.`)),
  ];
}

/** The walk of a call names files, folders and codes that there are. */
function nameFindings(files, lines) {
  const codes = errorCodes(files);
  const isThere = (place) => files.has(place) || [...files.keys()].some((file) => file.startsWith(`${place}/`));
  return codeSpans(lines).flatMap(({ number, code }) => {
    if (/^(packages|scripts|bench|docs)\//.test(code) && !isThere(code)) return [finding(mapPage, number, `There is no ${code}.`)];
    if (/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(code) && !codes.includes(code)) return [finding(mapPage, number, `${code} is not in ERROR_CODES.`)];
    return [];
  });
}

/** The map is the tree: a row for each package and folder, and a folder for each row. */
export function checkMap(files) {
  const text = files.get(mapPage);
  if (text === undefined) return [finding(mapPage, 1, 'The map of the repository is missing.')];
  const rows = (title) => rowsOf(sectionOf(text, title) ?? []);
  return [...packageFindings(files, rows('Packages')), ...folderFindings(files, rows('Folders')), ...nameFindings(files, readMarkdown(text).lines)];
}

/** The text of the map, with the rows of packages as their package.json describes them. */
export function writeMap(files) {
  const text = files.get(mapPage);
  const rows = packagesOf(files).map(({ folder, said }) => `| \`${folder}\` | ${said} |`);
  const old = rowsOf(sectionOf(text, 'Packages')).map(({ number }) => number);
  const lines = text.split('\n');
  return [...lines.slice(0, old[0] - 1), ...rows, ...lines.slice(old.at(-1))].join('\n');
}
