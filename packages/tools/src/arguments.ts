import { DevsError, type ValidatedArgs } from '@devs/core';

/*
 * The schema has judged the arguments before a handler sees them. These say so to the compiler, and
 * refuse, should a schema and its handler ever fall out of step.
 */

export function stringArgument(args: ValidatedArgs, name: string): string {
  const value = args[name];
  if (typeof value === 'string') return value;
  throw new DevsError('TOOL_ARG_VALIDATION_FAILURE');
}

export function integerArgument(args: ValidatedArgs, name: string, fallback: number): number {
  const value = args[name] ?? fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new DevsError('TOOL_ARG_VALIDATION_FAILURE');
}

export function booleanArgument(args: ValidatedArgs, name: string, fallback: boolean): boolean {
  const value = args[name] ?? fallback;
  if (typeof value === 'boolean') return value;
  throw new DevsError('TOOL_ARG_VALIDATION_FAILURE');
}
