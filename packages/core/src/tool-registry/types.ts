import type { ToolSettings } from '../config/tool-settings.ts';
import type { Json, JsonObject } from '../json.ts';
import type { RawToolOutput } from '../protocol/tool-result.ts';
import type { Authorship, CompiledSchema, ValidatedArgs } from '../validation/schema.ts';
import type { Judge } from '../validation/schema-check.ts';
import type { ToolCapabilities } from './capabilities.ts';

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

/** Runs inside devs, with capabilities and nothing else. */
export type InProcessHandler = (args: ValidatedArgs, capabilities: ToolCapabilities) => Promise<RawToolOutput>;

/** A tool as its author writes it. */
export interface ToolRegistration {
  readonly definition: ToolDefinition;
  /** Who wrote the definition. Default `own`; a `foreign` one is held to what `checkForeignDefinition` asks. */
  readonly authorship?: Authorship;
  readonly handler: InProcessHandler;
  /** False only for a tool that changes nothing anywhere. */
  readonly effects: boolean;
  readonly labels: readonly ToolLabel[];
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
export interface RegisteredTool extends ToolRegistration {
  readonly name: string;
  /** As it is shown: of a foreign one, what `cleanDefinition` made of it. */
  readonly definition: ToolDefinition;
  /** Of the arguments, as the author wrote it. */
  readonly schema: CompiledSchema;
  /** Of `structuredContent`, as the author wrote it. Absent: the tool declares none. */
  readonly outputSchema?: Judge;
  /** What the configuration says about it. */
  readonly settings: ToolSettings;
}

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
