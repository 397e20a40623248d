import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { SECRET_RULES } from '../rules.ts';

const page = fileURLToPath(new URL('../../../../../../docs/reference/secret-rules.md', import.meta.url));

it('docs/reference/secret-rules.md lists exactly the rules, with their titles, in their order', () => {
  const rows = [...readFileSync(page, 'utf8').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, id, title]) => ({ id, title }));
  expect(rows).toEqual(SECRET_RULES);
});
