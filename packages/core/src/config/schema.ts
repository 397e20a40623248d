import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { DevsError } from '../errors.ts';
import { isRecord } from '../json.ts';
import type { DevsCoreConfig } from './defaults.ts';
import { CONFIG_SCHEMA } from './json-schema.ts';

export { DEFAULT_CONFIG } from './defaults.ts';
export type { DevsCoreConfig, Durability, OutputSanitizerConfig } from './defaults.ts';
export { CONFIG_SCHEMA } from './json-schema.ts';

/**
 * A configuration, complete and frozen: what is missing takes its safe default. Throws
 * `CONFIG_INVALID` naming the key, what is wrong and what would be right.
 */
export function parseConfig(input: unknown = {}): DevsCoreConfig {
  const ajv = new Ajv2020({ strict: true, allErrors: false, ownProperties: true, useDefaults: true, verbose: true });
  const validate = ajv.compile<DevsCoreConfig>(CONFIG_SCHEMA);
  const candidate = copyOf(input);
  if (!validate(candidate)) throw invalid(validate.errors?.[0]);
  return deepFreeze(candidate);
}

function copyOf(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch (cause) {
    throw new DevsError('CONFIG_INVALID', { sentence: 'The configuration is not plain data.', cause });
  }
}

function invalid(error: ErrorObject | undefined): DevsError {
  const key = (error?.instancePath ?? '').slice(1).replaceAll('/', '.') || 'the configuration';
  return new DevsError('CONFIG_INVALID', { sentence: `${key} ${problemOf(error)}.` });
}

function problemOf(error: ErrorObject | undefined): string {
  if (error?.keyword === 'additionalProperties') {
    const properties: unknown = error.parentSchema?.['properties'];
    const known = isRecord(properties) ? Object.keys(properties).join(', ') : '';
    return `has an unknown key ${quote(error.params['additionalProperty'])}; the known ones are ${known}`;
  }
  return `is ${quote(error?.data)}, and ${ruleOf(error)}`;
}

function ruleOf(error: ErrorObject | undefined): string {
  if (error?.keyword === 'enum') return `must be one of ${JSON.stringify(error.params['allowedValues'])}`;
  return error?.message ?? 'is not valid';
}

/** A value of the operator's, short. */
function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
