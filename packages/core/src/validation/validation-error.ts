/** Why a value was not taken. */
export type ValidationErrorCode =
  /** It does not fit the schema. */
  | 'VALIDATION_SCHEMA_ERROR'
  /** It is no plain JSON, or holds a key that reaches a prototype. */
  | 'VALIDATION_INPUT_REFUSED'
  /** It is too large for the schema: to check it would take too long. */
  | 'VALIDATION_TOO_LARGE'
  /** The schema itself cannot be used. */
  | 'VALIDATION_SCHEMA_REFUSED';

/** One thing that is wrong with a value: what and where, never the value itself, which may be a secret. */
export interface Problem {
  readonly code: ValidationErrorCode;
  /** JSON Pointer (RFC 6901) to the value, at most 200 characters and `…`. */
  readonly pointer: string;
  /** Follows the subject in a sentence: `must be string`. */
  readonly problem: string;
  /** What would fit: `string`, `one of ["a","b"]`. */
  readonly expected: string;
  /** The type of what came. */
  readonly received: string;
  /** `did you mean "path"?` */
  readonly hint?: string;
}

/** Seed 004: an error that a model can repair its call from. `message` is one line. */
export class ValidationError extends Error {
  readonly code: ValidationErrorCode;
  /** JSON Pointer (RFC 6901); empty for the whole value. */
  readonly field: string;
  readonly expected: string;
  /** The type of what came, never the value. */
  readonly received: string;
  readonly hint: string | undefined;

  constructor(message: string, { code, pointer, expected, received, hint }: Omit<Problem, 'problem'>) {
    super(message);
    this.name = 'ValidationError';
    this.code = code;
    this.field = pointer;
    this.expected = expected;
    this.received = received;
    this.hint = hint;
  }
}

/** `Argument "/path" must be string`; of the whole value `The input must be object`. */
export function describeProblem({ pointer, problem, hint }: Problem, whole = 'The input'): string {
  const subject = pointer === '' ? whole : `Argument ${JSON.stringify(pointer)}`;
  return hint === undefined ? `${subject} ${problem}` : `${subject} ${problem}; ${hint}`;
}

/** The types of JSON, and what else a caller in the same process may hand over. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
