import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMap, mapPage, writeMap } from '../map.mjs';

const page = ({ packages = '| `packages/core` | The rules. |', folders = '| `packages/core/src/audit` | events |\n| `scripts` | commands |', walk = '' } = {}) =>
  `# Map\n## Packages\n| package | what |\n|---|---|\n${packages}\n\n## Folders\n| folder | what |\n|---|---|\n${folders}\n## The path of one call\n${walk}\n`;

const tree = {
  'README.md': '',
  'packages/core/package.json': '{"name":"@devs/core","description":"The rules."}',
  'packages/core/src/error-codes.ts': 'export const ERROR_CODES = { A_ONE: { sentence: "" } } as const satisfies R;',
  'packages/core/src/audit/events.ts': '',
  'packages/core/src/audit/__tests__/events.test.ts': '',
  'scripts/a.mjs': '',
};
const withPage = (text, extra = {}) => new Map(Object.entries({ ...tree, ...extra, [mapPage]: text }).concat([['docs/architecture/other.md', '']]));
const docsRow = '\n| `docs/architecture` | pages |';
const said = (parts, extra) => {
  const folders = `${parts.folders ?? '| `packages/core/src/audit` | events |\n| `scripts` | commands |'}${docsRow}`;
  return checkMap(withPage(page({ ...parts, folders }), extra)).map(({ message }) => message).join('\n');
};

const red = [
  ['a folder without a row', {}, { 'packages/core/src/policy/decide.ts': '' }, 'The folder packages/core/src/policy has no row'],
  ['a row without a folder', { folders: '| `packages/core/src/audit` | x |\n| `scripts` | x |\n| `scripts/gone` | x |' }, {}, 'There is no folder scripts/gone'],
  ['a folder that holds tests alone', { folders: '| `packages/core/src/audit` | x |\n| `scripts` | x |\n| `packages/core/src/audit/__tests__` | x |' }, {}, 'There is no folder packages/core/src/audit/__tests__'],
  ['a row that says nothing', { folders: '| `packages/core/src/audit` | |\n| `scripts` | x |' }, {}, 'The row of packages/core/src/audit says nothing'],
  ['a package without a row', {}, { 'packages/new/package.json': '{"name":"@devs/new","description":"New."}' }, 'The row of packages/new is not'],
  ['a package that is described otherwise', { packages: '| `packages/core` | Else. |' }, {}, 'The row of packages/core is not'],
  ['a row without a package', { packages: '| `packages/core` | The rules. |\n| `packages/gone` | Gone. |' }, {}, 'There is no package packages/gone'],
  ['a file of the walk that is gone', { walk: '| find | `packages/core/src/find.ts` | |' }, {}, 'There is no packages/core/src/find.ts'],
  ['a code of the walk that is gone', { walk: '| find | | `NO_CODE` |' }, {}, 'NO_CODE is not in ERROR_CODES'],
];

for (const [name, parts, extra, message] of red) {
  test(`map refuses: ${name}`, () => {
    const text = said(parts, extra);
    assert.ok(text.includes(message), text);
  });
}

test('map refuses: no map', () => {
  assert.match(checkMap(new Map(Object.entries(tree)))[0].message, /is missing/);
});

test('map allows a row for each folder, and a walk of what is there', () => {
  assert.equal(said({ walk: '| find | `packages/core/src/audit`, `scripts/a.mjs` | `A_ONE`, -32600 |' }), '');
});

test('map: what is written is what is checked, and nothing else is changed', () => {
  const extra = { 'packages/new/package.json': '{"name":"@devs/new","description":"New."}' };
  const before = page({ packages: '| `packages/core` | Else. |\n| `packages/gone` | Gone. |' });
  const after = writeMap(withPage(before, extra));
  assert.equal(after, page({ packages: '| `packages/core` | The rules. |\n| `packages/new` | New. |' }));
});
