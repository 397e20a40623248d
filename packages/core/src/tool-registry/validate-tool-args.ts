import { emit, type AuditLogger } from '../audit/events.ts';
import { DevsError } from '../errors.ts';
import { isRecord, type JsonObject } from '../json.ts';
import { isRefused } from '../validation/plain-copy.ts';
import { excerptSchema } from '../validation/schema-excerpt.ts';
import type { ArgumentRefusal, CheckedArguments } from '../validation/schema.ts';
import { describeProblem, type Problem } from '../validation/validation-error.ts';
import type { ToolLookup } from './ToolRegistry.ts';

export type ValidationOutcome =
  | ({ readonly valid: true } & CheckedArguments)
  | { readonly valid: false; readonly error: DevsError };

/**
 * Seed 003. Arguments pass when the tool exists, no key reaches a prototype, and the schema fits. A
 * failure is logged as `TOOL_ARG_VALIDATION_FAILURE` (an unknown tool as `UNKNOWN_TOOL`). Never throws.
 * @example
 * ```ts
 * import { ToolRegistry, validateToolArgs } from '@devs/core';
 * const outcome = validateToolArgs('rm_rf', {}, new ToolRegistry(), { log: () => undefined });
 * console.log(outcome.valid, outcome.error.code); // false UNKNOWN_TOOL
 * ```
 */
export function validateToolArgs(
  toolName: string,
  args: unknown,
  registry: ToolLookup,
  auditLogger: AuditLogger,
): ValidationOutcome {
  const tool = registry.getTool(toolName);
  if (tool === undefined) {
    emit(auditLogger, { event: 'UNKNOWN_TOOL', toolName, code: 'UNKNOWN_TOOL' }, ignore);
    return { valid: false, error: new DevsError('UNKNOWN_TOOL') };
  }
  const checked = tool.schema.check(args);
  if (!isRefused(checked)) return { valid: true, ...checked };
  const error = toError(checked.refusal);
  const { pointer = '' } = checked.refusal.problems[0] ?? {};
  emit(
    auditLogger,
    { event: 'TOOL_ARG_VALIDATION_FAILURE', toolName, code: error.code, pointer, error: error.message },
    ignore,
  );
  return { valid: false, error };
}

/** Characters of the problems, and of the schema behind them: a model reads them all. */
const MOST_TOLD = 2_000;
const MOST_SCHEMA = 1_000;

function toError({ problems, isCut, schema }: ArgumentRefusal): DevsError {
  const errors = problems.map(({ pointer, expected, received, hint }) => ({ pointer, expected, received, ...(hint !== undefined && { hint }) }));
  const repair = { errors, ...(schema !== undefined && { schema }) };
  // Behind the sentence, which is also the operator's: the schema is only for who repairs the call.
  const told = schema === undefined ? undefined : tellSchema(schema);
  const suggestion = told === undefined ? {} : { suggestion: `Correct what is named and call again. Schema: ${told}` };
  return new DevsError('TOOL_ARG_VALIDATION_FAILURE', { sentence: tellProblems(problems, isCut), repair, ...suggestion });
}

function tellProblems(problems: readonly Problem[], isCut: boolean): string {
  let told = '';
  for (const [index, problem] of problems.entries()) {
    const sentence = endSentence(describeProblem(problem, 'The arguments object'));
    if (index > 0 && told.length + sentence.length > MOST_TOLD) return `${told} There are more.`;
    told = told === '' ? sentence : `${told} ${sentence}`;
  }
  return isCut ? `${told} There are more.` : told;
}

function endSentence(words: string): string {
  return words.endsWith('?') ? words : `${words}.`;
}

/** Without the words: the model has them from the list of tools. */
function tellSchema(schema: JsonObject): string | undefined {
  const { properties } = schema;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const part = excerptSchema(schema, { names, most: MOST_SCHEMA, bare: true });
  return part === undefined ? undefined : JSON.stringify(part);
}

/** The tap's own failures are the gate's to report; this function has only the tap. */
function ignore(): void {}
