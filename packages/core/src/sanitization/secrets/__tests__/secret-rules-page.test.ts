import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { SECRET_RULES } from '../rules.ts';
import { PROVIDER_FORMS } from './provider-forms.ts';

const page = fileURLToPath(new URL('../../../../../../docs/reference/secret-rules.md', import.meta.url));
const [ruleTable = '', formTable = ''] = readFileSync(page, 'utf8').split('\n## Forms\n');

it('docs/reference/secret-rules.md lists exactly the rules, with their titles, in their order', () => {
  const rows = [...ruleTable.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, id, title]) => ({ id, title }));
  expect(rows).toEqual(SECRET_RULES);
});

it('and exactly the forms, each with its rule and its source', () => {
  const rows = [...formTable.matchAll(/^\| `(.+)` \| `([^`]+)` \| (.+) \|$/gm)].map(([, form = '', rule, source]) => [rule, form.replaceAll('\\|', '|').replaceAll('⏎', '\n'), source]);
  expect(rows).toEqual(PROVIDER_FORMS);
});
