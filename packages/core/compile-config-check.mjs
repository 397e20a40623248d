// Runs after `tsc -b`: replaces the built module that compiles the configuration's schema with the compiled schema. Both give the
// same answers. A `tsc -b` alone can build a newer schema beside an older check, which might accept what the schema refuses: so
// the check names the schema that it was made from, and refuses to serve another.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { CHECK_OPTIONS } from './src/config/compile-check.ts';
import { CONFIG_SCHEMA } from './src/config/json-schema.ts';

const ajv = new Ajv2020({ ...CHECK_OPTIONS, code: { source: true, esm: true } });
const check = standalone.default(ajv, ajv.compile(CONFIG_SCHEMA));
const digest = createHash('sha256').update(JSON.stringify(CONFIG_SCHEMA)).digest('hex');

const text = `// Compiled by Ajv from the schema in json-schema.js: see src/config/compile-check.ts.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { CONFIG_SCHEMA } from './json-schema.js';

const require = createRequire(import.meta.url);

export function compileCheck() {
  const digest = createHash('sha256').update(JSON.stringify(CONFIG_SCHEMA)).digest('hex');
  if (digest !== '${digest}') throw new Error('The check of configurations was built from another schema: run the build of @devs/core.');
  return validate;
}

${check}
`;
writeFileSync(new URL('dist/config/compile-check.js', import.meta.url), text);
