import type { ValidationMode } from '../config/defaults.ts';
import { DevsError } from '../errors.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import type { Made } from '../made.ts';
import { copyForeign } from './foreign-json.ts';
import { compileSchema, type DocumentOptions } from './json-schema/compile-schema.ts';
import { showText } from './json-schema/evaluation/words.ts';
import { SchemaProblem } from './json-schema/schema-problem.ts';
import { copyPlain, isRefused, type Refusal } from './plain-copy.ts';
import { type Judge, SchemaCheck, type ValueRefusal, type Verdict } from './schema-check.ts';
import { describeProblem, type Problem, typeName, ValidationError } from './validation-error.ts';

/** Least recently used go first. Bounded by number, and by the characters of the keys, which are the schemas' own. */
export class RecentSchemas<Compiled> {
  readonly #byKey = new Map<string, Compiled>();
  readonly #mostEntries: number;
  readonly #mostCharacters: number;
  #characters = 0;

  constructor(mostEntries = 256, mostCharacters = 1_048_576) {
    this.#mostEntries = mostEntries;
    this.#mostCharacters = mostCharacters;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** What is made throws when it cannot be made, and is then not kept. */
  getOrMake(key: string, make: () => Compiled): Compiled {
    const known = this.#byKey.get(key);
    const compiled = known ?? make();
    // Behind all others again.
    if (known !== undefined) this.#byKey.delete(key);
    else this.#characters += key.length;
    this.#byKey.set(key, compiled);
    this.#drop();
    return compiled;
  }

  #drop(): void {
    for (const key of this.#byKey.keys()) {
      if (this.#byKey.size <= this.#mostEntries && this.#characters <= this.#mostCharacters) return;
      this.#byKey.delete(key);
      this.#characters -= key.length;
    }
  }
}

/** Arguments that were copied, checked against the schema and frozen. Minted in this file alone. */
export type ValidatedArgs = Made<JsonObject, 'validation'>;

/** A string that a schema marks as a path, by `format: "devs-path"`. */
export interface MarkedPath {
  /** JSON Pointer (RFC 6901) to it in the arguments. */
  readonly pointer: string;
  readonly value: string;
}

/** What passed. */
export interface CheckedArguments {
  readonly args: ValidatedArgs;
  /** What came, where lenient validation made `args` of it; absent where they are the same. */
  readonly received?: Json;
  /** Every string that the schema looked at as a path, wherever it is nested; of a branch that did not fit, those it came to. */
  readonly paths: readonly MarkedPath[];
}

/** What is wrong with arguments. */
export type ArgumentRefusal = ValueRefusal;

export type ArgumentCheck = CheckedArguments | { readonly refusal: ArgumentRefusal };

/** A schema compiled once. */
export interface CompiledSchema {
  check(input: unknown): ArgumentCheck;
}

/** Who wrote a schema or a definition: we, or a server behind devs, nothing of which is trusted. */
export type Authorship = 'own' | 'foreign';

export interface CompileOptions {
  /** Default `own`: unknown keywords and formats, and names required but not described, are refused on top. */
  readonly authorship?: Authorship;
  /** Default `strict`. `lenient`: texts stand for the numbers and booleans that they spell, and the other way round. */
  readonly mode?: ValidationMode;
}

/**
 * Compiles schemas, each once: what was compiled lately is kept, by its content. Nothing is fetched.
 * @example
 * ```ts
 * import { SchemaCompiler } from '@devs/core';
 * const schema = new SchemaCompiler().compile({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] });
 * console.log(schema.check({ path: 'a.ts' }).args); // { path: 'a.ts' }
 * console.log(schema.check({}).refusal.problems.length); // 1
 * ```
 */
export class SchemaCompiler {
  readonly #recent = new RecentSchemas<SchemaCheck>();
  /** The tools of a list have their patterns in common. */
  readonly #patternSizes = new RecentSchemas<number>(1_024);

  /**
   * Throws `TOOL_SCHEMA_REFUSED` when the schema is not one for an object, does not compile, or is larger
   * than 262,144 bytes of JSON, 4,000 values or 64 levels. JSON Schema draft-07, 2019-09 or 2020-12, by
   * `$schema`; 2020-12 where it names none.
   */
  compile(schema: JsonObject, options: CompileOptions = {}): CompiledSchema {
    if (!isRecord(schema) || schema['type'] !== 'object') {
      throw new DevsError('TOOL_SCHEMA_REFUSED', { sentence: 'An input schema must have "type": "object".' });
    }
    const schemaCheck = this.compileAny(schema, options);
    return { check: (input) => check(input, schemaCheck) };
  }

  /** The same for any schema, `true` and `false` too. */
  compileAny(schema: unknown, { authorship = 'own', mode = 'strict' }: CompileOptions = {}): SchemaCheck {
    const copied = copyForeign(schema);
    if (isRefused(copied)) throw schemaRefused(copied.refusal);
    const { value } = copied;
    return this.#recent.getOrMake(`${authorship} ${mode} ${JSON.stringify(value)}`, () => {
      const { root } = compileValue(value, { isStrict: authorship === 'own', patternSizes: this.#patternSizes });
      return new SchemaCheck({ root, schema: value, isLenient: mode === 'lenient' });
    });
  }
}

function compileValue(schema: Json, options: DocumentOptions) {
  try {
    return compileSchema(schema, options);
  } catch (cause) {
    if (cause instanceof SchemaProblem) throw schemaRefused(cause);
    throw schemaRefused({ pointer: '', problem: 'does not compile' }, cause);
  }
}

function schemaRefused({ pointer, problem }: Refusal, cause?: unknown): DevsError {
  const subject = pointer === '' ? 'it' : JSON.stringify(pointer);
  return new DevsError('TOOL_SCHEMA_REFUSED', { sentence: `The schema cannot be used: ${subject} ${problem}.`, cause });
}

function check(input: unknown, schemaCheck: SchemaCheck): ArgumentCheck {
  if (!isRecord(input)) return { refusal: refuseInput(input, { pointer: '', problem: `must be object, not ${typeName(input)}` }) };
  const verdict = judge(input, schemaCheck);
  if (isRefused(verdict)) return verdict;
  const { value, ...rest } = verdict;
  return { args: value as ValidatedArgs, ...rest };
}

/** Prototype keys are refused before the schema sees them: validators and handlers read by key. */
function judge(input: unknown, judgeOfCopies: Judge): Verdict {
  const copied = copyPlain(input);
  return isRefused(copied) ? { refusal: refuseInput(input, copied.refusal) } : judgeOfCopies.judge(copied.value);
}

function refuseInput(input: unknown, { pointer, problem }: Refusal): ValueRefusal {
  // Its keys are the caller's: they must neither hide nor turn a line around.
  const refused: Problem = { code: 'VALIDATION_INPUT_REFUSED', pointer: showText(pointer), problem, expected: 'plain JSON', received: typeName(input) };
  return { problems: [refused], isCut: false };
}

/** Seed 004. */
export interface ValidationResult {
  readonly valid: boolean;
  /** At least one and at most 20 where it is not valid. */
  readonly errors?: readonly ValidationError[];
  /** Where it is valid: a frozen copy of the input, in lenient mode with the conversions that it needed. */
  readonly coerced?: Json;
}

export interface ValidationOptions extends CompileOptions {
  /** Keeps what it compiled. Default: one for all callers of this function. */
  readonly compiler?: SchemaCompiler;
}

/**
 * The one that remembers for callers who have no compiler of their own: seed 004's signature has no
 * room for one. It changes how long an answer takes, never what it is, and is bounded.
 */
const sharedCompiler = new SchemaCompiler();

/**
 * Seed 004: whether an input fits a schema, any of both. Never throws: a schema that does not compile
 * gives one error of the code `VALIDATION_SCHEMA_REFUSED`. `foreign` by default.
 */
export function validateToolInput(toolName: string, schema: unknown, input: unknown, options: ValidationOptions = {}): ValidationResult {
  const verdict = judge(input, prepareJudge(schema, options));
  if (!isRefused(verdict)) return { valid: true, coerced: verdict.value };
  const errors = verdict.refusal.problems.map((problem) => new ValidationError(`${toolName}: ${describeProblem(problem)}`, problem));
  return { valid: false, errors };
}

/** For many values of one schema. Never throws: where it does not compile, each value is refused. `foreign` by default. */
export function prepareJudge(schema: unknown, options: ValidationOptions = {}): Judge {
  const { compiler = sharedCompiler, authorship = 'foreign', ...rest } = options;
  try {
    return compiler.compileAny(schema, { ...rest, authorship });
  } catch (cause) {
    const problem = DevsError.is(cause) ? `cannot be checked. ${cause.sentence}` : 'cannot be checked';
    const refused = { code: 'VALIDATION_SCHEMA_REFUSED', pointer: '', problem, expected: 'a schema that can be used' } as const;
    return { judge: (value) => ({ refusal: { problems: [{ ...refused, received: typeName(value) }], isCut: false } }) };
  }
}
