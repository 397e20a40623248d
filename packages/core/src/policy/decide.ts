import type { Made } from '../made.ts';
import type { RegisteredTool, ToolExecutionContext } from '../tool-registry/types.ts';
import type { ValidatedArgs } from '../validation/schema.ts';

export interface PolicyInput {
  readonly tool: RegisteredTool;
  readonly args: ValidatedArgs;
  readonly context: ToolExecutionContext;
}

/** Leave to run this tool with these arguments. Minted in this file alone. */
export type Permit = Made<
  {
    /** The rule that decided, for the log. */
    readonly rule: string;
    readonly tool: RegisteredTool;
    readonly args: ValidatedArgs;
  },
  'policy'
>;

/** The rule in force where no other decides. */
export const DEFAULT_RULE = 'default';

/**
 * Who may call what, with which arguments. Pure. There are no rules to write yet: what is hidden from
 * the caller was never found, and what was found and fits its schema is allowed.
 */
export function decide({ tool, args }: PolicyInput): Permit {
  return Object.freeze({ rule: DEFAULT_RULE, tool, args }) as Permit;
}
