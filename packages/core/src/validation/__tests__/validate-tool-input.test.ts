import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SchemaCompiler, validateToolInput, type ValidationOptions } from '../schema.ts';
import { ValidationError } from '../validation-error.ts';

const readFile = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 100 }, deep: { type: 'boolean' } },
  required: ['path'],
  additionalProperties: false,
};

function errorsOf(schema: unknown, input: unknown, options?: ValidationOptions) {
  const { valid, errors = [] } = validateToolInput('read_file', schema, input, options);
  expect(valid).toBe(errors.length === 0);
  return errors.map(({ message, code, field, expected, received, hint }) => ({ message, code, field, expected, received, hint }));
}

describe('validateToolInput', () => {
  it('should validate required fields', () => {
    expect(validateToolInput('read_file', readFile, { path: 'a' })).toEqual({ valid: true, coerced: { path: 'a' } });
    expect(errorsOf(readFile, {})).toEqual([
      {
        message: 'read_file: The input must have required property "path"',
        code: 'VALIDATION_SCHEMA_ERROR',
        field: '',
        expected: 'the property "path"',
        received: 'object',
        hint: undefined,
      },
    ]);
  });

  it('should coerce types when possible', () => {
    const input = { path: 5, limit: '7', deep: 'true' };
    expect(validateToolInput('read_file', readFile, input).valid).toBe(false);
    const expected = { valid: true, coerced: { path: '5', limit: 7, deep: true } };
    expect(validateToolInput('read_file', readFile, input, { mode: 'lenient' })).toEqual(expected);
    expect(input).toEqual({ path: 5, limit: '7', deep: 'true' });
  });

  it('should reject invalid types', () => {
    expect(errorsOf(readFile, { path: ['a'] })).toMatchObject([{ field: '/path', expected: 'string', received: 'array' }]);
    expect(errorsOf(readFile, 'text')).toMatchObject([{ field: '', expected: 'object', received: 'string' }]);
  });

  it('should provide descriptive errors', () => {
    const { errors = [] } = validateToolInput('read_file', readFile, { pth: 'my secret', limit: 0 });
    expect(errors.map(({ message }) => message)).toEqual([
      'read_file: The input must have required property "path"',
      'read_file: Argument "/limit" must be >= 1',
      'read_file: The input has an argument that is not known: "pth"; did you mean "path"?',
    ]);
    expect(errors.every((error) => error instanceof ValidationError)).toBe(true);
    expect(JSON.stringify(errors)).not.toContain('my secret');
  });

  it.each<[string, unknown, unknown, string]>([
    ['a schema that is no schema', 5, {}, 'VALIDATION_SCHEMA_REFUSED'],
    ['a schema that is nothing', undefined, {}, 'VALIDATION_SCHEMA_REFUSED'],
    ['a schema that does not compile', { type: 'text' }, {}, 'VALIDATION_SCHEMA_REFUSED'],
    ['a schema that cannot be read', new Proxy({}, { ownKeys: () => { throw new Error('no'); } }), {}, 'VALIDATION_SCHEMA_REFUSED'],
    ['an input that is nothing', {}, undefined, 'VALIDATION_INPUT_REFUSED'],
    ['an input that reaches a prototype', {}, JSON.parse('{"__proto__":1}'), 'VALIDATION_INPUT_REFUSED'],
    ['an input that cannot be read', {}, new Proxy({}, { getPrototypeOf: () => { throw new Error('no'); } }), 'VALIDATION_INPUT_REFUSED'],
    ['false, which nothing fits', false, 1, 'VALIDATION_SCHEMA_ERROR'],
    ['a number that JSON does not know', true, Number.NaN, 'VALIDATION_INPUT_REFUSED'],
  ])('does not throw: %s', (_name, schema, input, code) => {
    expect(validateToolInput('x', schema, input)).toMatchObject({ valid: false, errors: [{ code }] });
  });

  it('says why a schema cannot be used, and where', () => {
    expect(errorsOf({ properties: { a: { minLength: -1 } } }, {})).toMatchObject([
      { message: 'read_file: The input cannot be checked. The schema cannot be used: "/properties/a/minLength" must be a whole number, 0 or more.' },
    ]);
  });

  it('takes true, and any schema for any value', () => {
    expect(validateToolInput('x', true, [1])).toEqual({ valid: true, coerced: [1] });
    expect(validateToolInput('x', { type: 'array', items: { type: 'null' } }, [null]).valid).toBe(true);
    expect(validateToolInput('x', { const: 'a' }, 'b').valid).toBe(false);
  });

  it('compiles a schema once, by its content', () => {
    const compiler = new SchemaCompiler();
    const compile = () => compiler.compileAny({ type: 'string' }, { authorship: 'foreign' });
    expect(compile()).toBe(compile());
    expect(compiler.compileAny({ type: 'string' }, { authorship: 'own' })).not.toBe(compile());
    expect(compiler.compileAny({ type: 'string' }, { authorship: 'foreign', mode: 'lenient' })).not.toBe(compile());
    const schema = { type: 'string' };
    const check = compiler.compileAny(schema, { authorship: 'foreign' });
    schema.type = 'number';
    expect(compiler.compileAny(schema, { authorship: 'foreign' })).not.toBe(check);
  });

  it('never throws, whatever the schema and the input', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.constantFrom('strict', 'lenient'), (schema, input, mode) => {
        expect(typeof validateToolInput('x', schema, input, { mode }).valid).toBe('boolean');
      }),
      { numRuns: 300 },
    );
  });

  it('gives back what came, as it came: strict arguments are their own copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        const plain: unknown = JSON.parse(JSON.stringify(input));
        const { valid, coerced } = validateToolInput('x', true, plain);
        if (valid) expect(coerced).toEqual(plain);
        // Only keys that reach a prototype are refused.
        else expect(JSON.stringify(plain)).toMatch(/__proto__|constructor/);
      }),
      { numRuns: 300 },
    );
  });
});
