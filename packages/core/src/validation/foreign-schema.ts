import { _, Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../json.ts';
import { canonicalJson } from './canonical-json.ts';
import { countValues } from './foreign-json.ts';

type AnyAjv = Ajv | Ajv2019 | Ajv2020;

interface Dialect {
  readonly metaSchema: string;
  readonly create: () => AnyAjv;
}

/** What a value is found wanting for; `undefined` when it fits. */
export type ForeignCheck = (value: Json) => ErrorObject | 'unfit' | undefined;

/** As people write it: with and without `#` at the end, http and https. */
const DIALECT_NAME = /^https?:\/\/json-schema\.org\/(draft-07|draft\/2019-09|draft\/2020-12)\/schema#?$/;

/** Steps that one check may take: references that refer twice to each other double the work at each. */
const MOST_STEPS = 100_000_000;

const OPTIONS: Options = {
  // Other people's schemas have keywords and habits that are theirs.
  strict: false,
  // Diagnostics about a schema would quote it, past our own logger.
  logger: false,
  validateFormats: false,
  allErrors: false,
  ownProperties: true,
  coerceTypes: false,
  useDefaults: false,
  // A part that is referred to a thousand times is compiled once, not copied a thousand times.
  inlineRefs: false,
  // By the dialect's own schema, compiled once, instead of once an instance.
  validateSchema: false,
  // Optimising takes the square of the size.
  code: { optimize: false, regExp: Object.assign(anyText, { code: 'anyText' }) },
};

/** Compiles schemas that servers behind devs sent: each apart from all others, so that none reaches another by `$id`. */
export class ForeignSchemaCompiler {
  readonly #dialects = new Map<string, Dialect & { readonly meta: AnyAjv }>();

  constructor() {
    const define = (name: string, dialect: Dialect) => this.#dialects.set(name, { ...dialect, meta: dialect.create() });
    define('draft-07', { metaSchema: 'http://json-schema.org/draft-07/schema', create: () => new Ajv(OPTIONS) });
    define('draft/2019-09', { metaSchema: 'https://json-schema.org/draft/2019-09/schema', create: () => new Ajv2019(OPTIONS) });
    define('draft/2020-12', { metaSchema: 'https://json-schema.org/draft/2020-12/schema', create: () => new Ajv2020(OPTIONS) });
  }

  /** Throws what is wrong with the schema. Nothing is fetched: a reference that leads outside is refused. */
  compile(schema: JsonObject): ForeignCheck {
    const dialect = this.#dialects.get(dialectName(schema));
    if (dialect === undefined) throw new Error('the dialect is not one of draft-07, 2019-09 and 2020-12');
    const isSchema = dialect.meta.getSchema(dialect.metaSchema);
    if (isSchema?.(schema) !== true) throw new Error('it is no schema of its dialect');
    const ajv = dialect.create();
    const meter = new Meter(MOST_STEPS / countValues(schema));
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) meter.watch(ajv, keyword);
    defineUniqueItems(ajv);
    definePatterns(ajv);
    const validate = ajv.compile(schema);
    return (value) => {
      meter.reset();
      try {
        return validate(value) === true ? undefined : (validate.errors?.[0] ?? 'unfit');
      } catch {
        // Out of steps or out of stack: a reference that leads to itself.
        return 'unfit';
      }
    };
  }
}

/** Counts the references that one check follows, and ends it when they are too many. */
class Meter {
  readonly #most: number;
  #spent = 0;

  constructor(most: number) {
    this.#most = most;
  }

  reset(): void {
    this.#spent = 0;
  }

  watch(ajv: AnyAjv, keyword: string): void {
    const definition = ajv.getKeyword(keyword);
    if (typeof definition === 'boolean' || !('code' in definition) || definition.code === undefined) return;
    const { code } = definition;
    const spend = () => {
      this.#spent += 1;
      if (this.#spent > this.#most) throw new Error('too many steps');
    };
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...definition,
      code: (context, ruleType) => {
        context.gen.code(_`${context.gen.scopeValue('func', { ref: spend })}()`);
        code(context, ruleType);
      },
    });
  }
}

/** The library's own compares each item with each: the square of what a caller sends. */
function defineUniqueItems(ajv: AnyAjv): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly Json[]) => !wanted || new Set(items.map(canonicalJson)).size === items.length,
    error: { message: 'must NOT have duplicate items' },
  });
}

function dialectName({ $schema = 'https://json-schema.org/draft/2020-12/schema' }: JsonObject): string {
  return typeof $schema === 'string' ? (DIALECT_NAME.exec($schema)?.[1] ?? '') : '';
}

/**
 * Patterns are looked at, and not enforced: the engine of the language takes exponential time for
 * `^(a|a)*$`, and a check that does not end cannot be stopped. Whoever sent them enforces them.
 */
function definePatterns(ajv: AnyAjv): void {
  ajv.removeKeyword('pattern');
  ajv.addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    compile: (pattern: string) => {
      checkPattern(pattern);
      return () => true;
    },
  });
  ajv.removeKeyword('patternProperties');
  ajv.addKeyword({
    keyword: 'patternProperties',
    type: 'object',
    schemaType: 'object',
    compile: (patterns: object) => {
      for (const pattern of Object.keys(patterns)) checkPattern(pattern);
      return () => true;
    },
  });
}

/** Throws when it is none. Many are written without the `u` flag in mind, and do not compile with it. */
function checkPattern(pattern: string): void {
  try {
    new RegExp(pattern, 'u');
  } catch {
    new RegExp(pattern);
  }
}

/** In the place of the patterns that `additionalProperties` leaves names to: every name may be one of theirs. */
function anyText(pattern: string): { test(): boolean; toString(): string } {
  return { test: () => true, toString: () => pattern };
}
