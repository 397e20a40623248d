import { emit, type AuditLogger } from '../audit/events.ts';
import { DevsError } from '../errors.ts';
import { isRefused, type Refusal } from '../validation/plain-copy.ts';
import type { ValidatedArgs } from '../validation/schema.ts';
import type { ToolLookup } from './ToolRegistry.ts';

export type ValidationOutcome =
  | { readonly valid: true; readonly args: ValidatedArgs }
  | { readonly valid: false; readonly error: DevsError };

/**
 * Seed 003. Arguments pass when the tool exists, no key reaches a prototype, and the schema fits. A
 * failure is logged as `TOOL_ARG_VALIDATION_FAILURE` (an unknown tool as `UNKNOWN_TOOL`). Never throws.
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
  if (!isRefused(checked)) return { valid: true, args: checked.args };
  const error = toError(checked.refusal);
  const { pointer } = checked.refusal;
  emit(
    auditLogger,
    { event: 'TOOL_ARG_VALIDATION_FAILURE', toolName, code: error.code, pointer, error: error.message },
    ignore,
  );
  return { valid: false, error };
}

function toError({ pointer, problem }: Refusal): DevsError {
  const subject = pointer === '' ? 'The arguments object' : `Argument ${JSON.stringify(pointer)}`;
  return new DevsError('TOOL_ARG_VALIDATION_FAILURE', { sentence: `${subject} ${problem}.` });
}

/** The tap's own failures are the gate's to report; this function has only the tap. */
function ignore(): void {}
