import type { Json } from '../json.ts';
import type { Made } from '../made.ts';
import type { GuardedArguments } from '../tool-registry/guard-paths.ts';
import type { RegisteredTool, ToolExecutionContext } from '../tool-registry/types.ts';
import type { ValidatedArgs } from '../validation/schema.ts';

export interface PolicyInput {
  readonly tool: RegisteredTool;
  readonly checked: GuardedArguments;
  readonly context: ToolExecutionContext;
}

/** Leave to run this tool with these arguments. Minted in this file alone. */
export type Permit = Made<
  {
    /** The rule that decided, for the log. */
    readonly rule: string;
    readonly tool: RegisteredTool;
    /** What was judged: to be judged again when more of the answer is read. */
    readonly checked: GuardedArguments;
    readonly args: ValidatedArgs;
    /** What came, where lenient validation made `args` of it; for the log alone. Null: `args` is what came. */
    readonly received: Json | null;
  },
  'policy'
>;

/** The rule in force where no other decides. */
export const DEFAULT_RULE = 'default';

/**
 * Who may call what, with which arguments. Pure. There are no rules to write yet: what is hidden from
 * the caller was never found, and what was found and fits its schema is allowed.
 */
export function decide({ tool, checked }: PolicyInput): Permit {
  const { args, received = null } = checked;
  return Object.freeze({ rule: DEFAULT_RULE, tool, checked, args, received }) as Permit;
}
