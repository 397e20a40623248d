import type { ToolSettings } from '../config/tool-settings.ts';
import type { Json, JsonObject } from '../json.ts';
import type { RawToolOutput } from '../protocol/tool-result.ts';
import type { Authorship, CompiledSchema, ValidatedArgs } from '../validation/schema.ts';
import type { Judge } from '../validation/schema-check.ts';
import type { CapabilitiesByKind, ToolKind } from './capabilities.ts';

/** What a caller may see of a tool: what an MCP tool carries. JSON Schema is 2020-12 where `$schema` names no other. */
export interface ToolDefinition {
  /** `[A-Za-z0-9_.-]`, 1 to 128 characters. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Claims: nothing is decided by them. */
  readonly annotations?: JsonObject;
  readonly icons?: readonly Json[];
  readonly execution?: JsonObject;
  readonly _meta?: JsonObject;
}

export type ToolLabel = 'untrusted' | 'private' | 'external';

/** Does the work of a tool of one kind, with the capabilities of its kind and nothing else. */
export type ToolHandler<Kind extends ToolKind> = (args: ValidatedArgs, capabilities: CapabilitiesByKind[Kind]) => Promise<RawToolOutput>;

export type InProcessHandler = ToolHandler<'in-process'>;

/** A kind and a handler that fit each other. */
type Handled =
  | { readonly kind?: 'in-process'; readonly handler: InProcessHandler }
  | { [Kind in Exclude<ToolKind, 'in-process'>]: { readonly kind: Kind; readonly handler: ToolHandler<Kind> } }[Exclude<ToolKind, 'in-process'>];

/** A tool as its author writes it. What it is handed depends on its kind, `in-process` where it names none. */
export type ToolRegistration = ToolTraits & Handled;

/** A tool of one kind. */
export type ToolOfKind<Kind extends ToolKind> = Extract<ToolRegistration, { readonly kind?: Kind }>;

/** All of a tool but what does the work. */
export interface ToolTraits {
  readonly definition: ToolDefinition;
  /** Who wrote the definition. Default `own`; a `foreign` one is held to what `checkForeignDefinition` asks. */
  readonly authorship?: Authorship;
  /** False only for a tool that changes nothing anywhere. */
  readonly effects: boolean;
  readonly labels: readonly ToolLabel[];
  /**
   * Not a tool but another request of MCP that a server answers (`files/resources/read`), so that it takes the same way:
   * found by its name, which no tool can have, and in no list. Default false.
   */
  readonly isOperation?: boolean;
  /** Where the tool comes from, as `devs tools` shows it: `built-in`, or the name of an upstream server. */
  readonly source: string;
  /** Absent: every phase. Empty: none. */
  readonly allowedPhases?: readonly string[];
  /** Absent: every epic. Empty: none. */
  readonly allowedEpics?: readonly string[];
  /** Milliseconds. Absent: the configured `limits.toolTimeoutMs`. */
  readonly timeoutMs?: number;
}

/** A tool in the registry: what its author wrote, and its schemas compiled once. */
export type RegisteredTool = ToolRegistration & {
  readonly name: string;
  /** As it is shown: of a foreign one, what `cleanDefinition` made of it. */
  readonly definition: ToolDefinition;
  /** Of the arguments, as the author wrote it. */
  readonly schema: CompiledSchema;
  /** Of `structuredContent`, as the author wrote it. Absent: the tool declares none. */
  readonly outputSchema?: Judge;
  /** What the configuration says about it. */
  readonly settings: ToolSettings;
};

/**
 * What the caller says about itself: logged, and used to narrow what it is offered. Never enough to
 * widen it; what is proven about a caller is its `Origin`.
 */
export interface ToolExecutionContext {
  /** Absolute path of the folder that the call is about. */
  readonly projectRoot: string;
  readonly agentId: string;
  readonly turnIndex: number;
  readonly phaseId: string;
  readonly epicId: string;
  readonly taskId?: string;
}
