import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { DevsCoreConfig } from './defaults.ts';
import { CONFIG_SCHEMA } from './json-schema.ts';

/** Completes a configuration in place. `errors` are those of the last one that did not fit. */
export interface SchemaCheck {
  (candidate: unknown): candidate is DevsCoreConfig & { readonly $schema?: string };
  errors?: readonly ErrorObject[] | null;
}

/** The schema is ours, and a test holds it to its meta-schema. */
const OWN_SCHEMA = { validateSchema: false, meta: false } as const;

export const CHECK_OPTIONS = { strict: true, strictRequired: false, allErrors: true, ownProperties: true, useDefaults: true, verbose: true, ...OWN_SCHEMA } as const;

/**
 * The configuration's schema as a function. Ajv needs a fifth of a start of devs to compile it, so the build replaces this
 * module with what Ajv makes of it, written out (`compile-config-check.mjs`): a built devs does not load Ajv for it.
 */
export function compileCheck(): SchemaCheck {
  return new Ajv2020(CHECK_OPTIONS).compile<DevsCoreConfig & { $schema?: string }>(CONFIG_SCHEMA);
}
