import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { DevsError } from '../errors.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import type { Made } from '../made.ts';
import { copyPlain, isRefused, type Refusal } from './plain-copy.ts';

/** Arguments that were copied, checked against the schema and frozen. Minted in this file alone. */
export type ValidatedArgs = Made<JsonObject, 'validation'>;

export type ArgumentCheck = { readonly args: ValidatedArgs } | { readonly refusal: Refusal };

/** A schema compiled once. */
export interface CompiledSchema {
  check(input: unknown): ArgumentCheck;
}

/** Compiles the schemas of one registry. JSON Schema 2020-12, strict. */
export class SchemaCompiler {
  readonly #ajv = new Ajv2020({
    strict: true,
    // One error: a list of a million bad items must not become a million objects.
    allErrors: false,
    // `required: ["toString"]` must not be met by what every object inherits.
    ownProperties: true,
    // What was asked is what runs and what is logged: nothing is filled in or turned into another type.
    coerceTypes: false,
    useDefaults: false,
  });

  /** Throws `TOOL_SCHEMA_REFUSED` when the schema does not compile, or is not one for an object. */
  compile(schema: JsonObject): CompiledSchema {
    if (!isRecord(schema) || schema['type'] !== 'object') {
      throw new DevsError('TOOL_SCHEMA_REFUSED', { sentence: 'An input schema must have "type": "object".' });
    }
    const copied = copyPlain(schema);
    if (isRefused(copied)) throw schemaRefused(copied.refusal.problem);
    const validate = this.#compile(copied.value);
    return { check: (input) => check(input, validate) };
  }

  #compile(schema: Json): ValidateFunction {
    if (!isRecord(schema)) throw schemaRefused('it is not an object');
    // An asynchronous check answers with a promise, and a promise looks like a yes.
    if (schema['$async'] !== undefined) throw schemaRefused('"$async" is not supported');
    try {
      return this.#ajv.compile(schema);
    } catch (cause) {
      throw schemaRefused('it does not compile', cause);
    } finally {
      // Not kept: two tools may use one `$id`, and neither may refer to the other's schema.
      this.#ajv.removeSchema(schema);
    }
  }
}

function schemaRefused(problem: string, cause?: unknown): DevsError {
  return new DevsError('TOOL_SCHEMA_REFUSED', { sentence: `The schema cannot be used: ${problem}.`, cause });
}

function check(input: unknown, validate: ValidateFunction): ArgumentCheck {
  if (!isRecord(input)) return { refusal: { pointer: '', problem: `must be object, not ${typeName(input)}` } };
  // Prototype keys are refused before the schema sees them: validators and handlers read by key.
  const copied = copyPlain(input);
  if (isRefused(copied)) return copied;
  if (validate(copied.value) !== true) return { refusal: toRefusal(validate.errors?.[0]) };
  return { args: copied.value as ValidatedArgs };
}

/** Says what was expected and where. Never the value: it may be a secret. */
function toRefusal(error: ErrorObject | undefined): Refusal {
  if (error === undefined) return { pointer: '', problem: 'does not fit the schema' };
  const pointer = error.instancePath.slice(0, 200).toWellFormed();
  return { pointer, problem: problemOf(error) };
}

function problemOf(error: ErrorObject): string {
  const { keyword, params, message } = error;
  if (keyword === 'additionalProperties') return `has an argument that is not known: ${quote(params['additionalProperty'])}`;
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params['allowedValues']).slice(0, 200)}`;
  return (message ?? 'does not fit the schema').slice(0, 200).toWellFormed();
}

/** A key of the caller's, short and on one line, so that it cannot write lines of its own into the answer. */
function quote(key: unknown): string {
  return JSON.stringify(String(key).slice(0, 60).toWellFormed());
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
