import type { ErrorObject } from 'ajv/dist/2020.js';
import { isRecord } from '../json.ts';
import { closestName } from './closest-name.ts';
import { describePointer, fromPointer, toPointer } from './pointer.ts';

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** JSON Pointer to the key, which may be one that should not be there. */
  readonly pointer: string;
  /** What the value is and what it may be; follows the key in a sentence: `is 0, and must be …`. */
  readonly problem: string;
  /** The second half alone, for who must not repeat the value: `must be …`. */
  readonly rule: string;
}

/** Keys that reach the prototype of an object in careless code, here or in whoever reads the file next. */
const POISONED = new Set(['__proto__', 'constructor', 'prototype']);

/** `limits.toolTimeoutMs is 0, and must be a whole number from 1 to 86400000` */
export function describeProblem({ pointer, problem }: ConfigProblem): string {
  return `${describePointer(pointer)} ${problem}`;
}

/** Every poisoned key, at any depth: inside a server any other key is let through. */
export function findPoisonedKeys(value: unknown, names: readonly string[] = []): readonly ConfigProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...names, name];
    return POISONED.has(name) ? [withoutValue(toPointer(here), 'may not be used as a key')] : findPoisonedKeys(inner, here);
  });
}

/** What Ajv found, in words. Undefined for what only says that another error is one. */
export function toProblem(error: ErrorObject): ConfigProblem | undefined {
  const { instancePath, keyword } = error;
  if (keyword === 'anyOf') return undefined;
  if (keyword === 'additionalProperties') return unknownKey(error);
  if (keyword === 'required') return withoutValue(instancePath, 'must have a "command" or a "url"');
  if (keyword === 'false schema') return withoutValue(instancePath, 'must not stand beside "url"');
  const { parentSchema = {} } = error;
  const rule = `must be ${keyword === 'minProperties' ? String(parentSchema['title']) : describeRule(parentSchema)}`;
  const value = isSecret(instancePath) ? '(hidden)' : quote(error.data);
  return { pointer: instancePath, problem: `is ${value}, and ${rule}`, rule };
}

function withoutValue(pointer: string, rule: string): ConfigProblem {
  return { pointer, problem: rule, rule };
}

function unknownKey({ instancePath, params, parentSchema }: ErrorObject): ConfigProblem {
  const name = String(params['additionalProperty']);
  const properties: unknown = parentSchema?.['properties'];
  const known = isRecord(properties) ? Object.keys(properties) : [];
  const meant = closestName(name, known);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"`;
  const rule =
    known.length === 0
      ? `cannot stand here; ${String(parentSchema?.['title'])}`
      : `is an unknown key${hint}; the known ones are ${known.join(', ')}`;
  return withoutValue(toPointer([...fromPointer(instancePath), name]), rule);
}

function describeRule(schema: Readonly<Record<string, unknown>>): string {
  const { title, type, enum: allowed, minimum, maximum, maxItems } = schema;
  if (Array.isArray(allowed)) return `one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  if (type === 'integer') return `a whole number from ${String(minimum)} to ${String(maximum)}`;
  if (type === 'array') return typeof maxItems === 'number' ? `a list of at most ${maxItems}` : 'a list';
  if (type === 'object') return 'an object';
  return typeof title === 'string' ? title : 'a text';
}

/** Keys of a server whose values may be repeated. In others stand tokens and passwords, and an error message ends up in logs and screenshots. */
const HARMLESS = new Set(['type', 'disabled', 'namespace', 'labels', 'limits', 'sandbox']);

function isSecret(pointer: string): boolean {
  const [section, , key] = fromPointer(pointer);
  return section === 'mcpServers' && key !== undefined && !HARMLESS.has(key);
}

/** A value of the operator's, short. */
function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}
