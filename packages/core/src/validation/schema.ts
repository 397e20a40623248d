import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { DevsError } from '../errors.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import type { Made } from '../made.ts';
import { copyForeign } from './foreign-json.ts';
import { ForeignSchemaCompiler } from './foreign-schema.ts';
import { copyPlain, isRefused, type Refusal } from './plain-copy.ts';

/** Arguments that were copied, checked against the schema and frozen. Minted in this file alone. */
export type ValidatedArgs = Made<JsonObject, 'validation'>;

export type ArgumentCheck = { readonly args: ValidatedArgs } | { readonly refusal: Refusal };

/** A schema compiled once. */
export interface CompiledSchema {
  check(input: unknown): ArgumentCheck;
}

/** Who wrote a schema or a definition: we, or a server behind devs, nothing of which is trusted. */
export type Authorship = 'own' | 'foreign';

/** What a plain copy of arguments is found wanting for; undefined when it fits. */
type SchemaCheck = (value: Json) => Refusal | undefined;

/** Compiles the schemas of one registry. Ours are JSON Schema 2020-12, strict. */
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
  #foreign: ForeignSchemaCompiler | undefined;

  /**
   * Throws `TOOL_SCHEMA_REFUSED` when the schema does not compile, or is not one for an object. A
   * `foreign` schema is of the dialect that its `$schema` names, at most 262,144 bytes of JSON and
   * 4,000 values, and cannot reach another schema or the network.
   */
  compile(schema: JsonObject, authorship: Authorship = 'own'): CompiledSchema {
    if (!isRecord(schema) || schema['type'] !== 'object') {
      throw new DevsError('TOOL_SCHEMA_REFUSED', { sentence: 'An input schema must have "type": "object".' });
    }
    const copied = authorship === 'own' ? copyPlain(schema) : copyForeign(schema);
    if (isRefused(copied)) throw schemaRefused(`it ${copied.refusal.problem}`);
    const { value } = copied;
    if (!isRecord(value)) throw schemaRefused('it is not an object');
    // An asynchronous check answers with a promise, and a promise looks like a yes.
    if (value['$async'] !== undefined) throw schemaRefused('"$async" is not supported');
    const findProblem = tryTo(() => (authorship === 'own' ? this.#compileOwn(value) : this.#compileForeign(value)));
    return { check: (input) => check(input, findProblem) };
  }

  #compileOwn(schema: JsonObject): SchemaCheck {
    try {
      const validate: ValidateFunction = this.#ajv.compile(schema);
      return (value) => (validate(value) === true ? undefined : toRefusal(validate.errors?.[0]));
    } finally {
      // Not kept: two tools may use one `$id`, and neither may refer to the other's schema.
      this.#ajv.removeSchema(schema);
    }
  }

  #compileForeign(schema: JsonObject): SchemaCheck {
    this.#foreign ??= new ForeignSchemaCompiler();
    const check = this.#foreign.compile(schema);
    return (value) => {
      const error = check(value);
      if (error === undefined) return undefined;
      return toRefusal(error === 'unfit' ? undefined : error);
    };
  }
}

function tryTo(compile: () => SchemaCheck): SchemaCheck {
  try {
    return compile();
  } catch (cause) {
    throw schemaRefused('it does not compile', cause);
  }
}

function schemaRefused(problem: string, cause?: unknown): DevsError {
  return new DevsError('TOOL_SCHEMA_REFUSED', { sentence: `The schema cannot be used: ${problem}.`, cause });
}

function check(input: unknown, findProblem: SchemaCheck): ArgumentCheck {
  if (!isRecord(input)) return { refusal: { pointer: '', problem: `must be object, not ${typeName(input)}` } };
  // Prototype keys are refused before the schema sees them: validators and handlers read by key.
  const copied = copyPlain(input);
  if (isRefused(copied)) return copied;
  const refusal = findProblem(copied.value);
  if (refusal !== undefined) return { refusal };
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
