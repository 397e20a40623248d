import { DEFAULT_CONFIG } from '../config/defaults.ts';
import { DEFAULT_OUTPUT_CONFIG } from '../config/output-config.ts';
import { settingsFor, type ToolSettings } from '../config/tool-settings.ts';
import { describeCause, DevsError } from '../errors.ts';
import { OutputPolicy } from '../sanitization/output-policy.ts';
import { Tally } from '../sanitization/pipeline/tally.ts';
import { cleanText } from '../sanitization/pipeline/text-pipeline.ts';
import { SchemaCompiler } from '../validation/schema.ts';
import { cleanDefinition } from './clean-definition.ts';
import { checkForeignDefinition } from './foreign-definition.ts';
import { RefusedTools, toRefusedTool, type RefusedTool } from './refused-tools.ts';
import type { RegisteredTool, ToolDefinition, ToolExecutionContext, ToolRegistration } from './types.ts';
import { cutWords } from '../protocol/text.ts';

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** The server, and a method of MCP. */
const OPERATION_NAME = /^[A-Za-z0-9_.-]{1,64}\/[a-z]+(?:\/[a-z]+)?$/;

/** What the gate needs of a registry. */
export interface ToolLookup {
  getTool(name: string): RegisteredTool | undefined;
  /** For tools that call tools. Absent: they may call none. */
  listToolsForContext?(context: ToolExecutionContext): readonly RegisteredTool[];
}

export interface ToolRegistryOptions {
  /** What the configuration says about the tool of this name, and of this server where it is of one. Default: what `DEFAULT_CONFIG` says. */
  readonly settingsFor?: (name: string, server?: string) => ToolSettings;
  /** Default: one of its own. */
  readonly compiler?: SchemaCompiler;
  /** How texts of foreign definitions are cleaned before they are shown. Default: as `DEFAULT_CONFIG` says. */
  readonly policy?: OutputPolicy;
}

/** A tool that can be called from now on, or why it cannot. */
export type Registration = { readonly tool: RegisteredTool } | { readonly refused: RefusedTool };

/**
 * The tools of one server. Names live in a `Map`: a tool called `constructor` is unknown until registered.
 * @example
 * ```ts
 * import { ToolRegistry } from '@devs/core';
 * const registry = new ToolRegistry();
 * registry.register({
 *   definition: { name: 'now', description: 'The time.', inputSchema: { type: 'object', properties: {}, additionalProperties: false } },
 *   handler: async () => new Date().toISOString(),
 *   effects: false,
 *   labels: [],
 *   source: 'example',
 * });
 * console.log(registry.listTools().map(({ name }) => name)); // [ 'now' ]
 * ```
 */
export class ToolRegistry implements ToolLookup {
  readonly #tools = new Map<string, RegisteredTool>();
  readonly #refused = new RefusedTools();
  readonly #compiler: SchemaCompiler;
  readonly #settingsFor: (name: string, server?: string) => ToolSettings;
  /** Made when the first foreign tool comes, where none was given. */
  #policy: OutputPolicy | undefined;

  constructor(options: ToolRegistryOptions = {}) {
    this.#compiler = options.compiler ?? new SchemaCompiler();
    this.#settingsFor = options.settingsFor ?? ((name) => settingsFor(DEFAULT_CONFIG, name));
    this.#policy = options.policy;
  }

  /** Throws `TOOL_NAME_REFUSED` for a bad or taken name, `TOOL_SCHEMA_REFUSED` for a bad schema or definition. */
  register(registration: ToolRegistration): RegisteredTool {
    const { definition, authorship = 'own', isOperation = false } = registration;
    const { name } = definition;
    if (!(isOperation ? OPERATION_NAME : TOOL_NAME).test(name)) {
      throw nameRefused(`A tool name is 1 to 128 characters of A-Z a-z 0-9 _ . -, not ${quote(name)}.`);
    }
    if (this.#tools.has(name)) throw nameRefused(`A tool called ${quote(name)} is registered already.`);
    const shown = authorship === 'foreign' ? this.#cleanForeign(definition) : definition;
    const settings = this.#settingsFor(name, registration.kind === 'upstream' ? registration.source : undefined);
    const schemas = this.#compile(registration, settings);
    const tool = Object.freeze({ ...snapshot({ ...registration, definition: shown }), name, ...schemas, settings });
    this.#tools.set(name, tool);
    this.#refused.forget(name);
    return tool;
  }

  #cleanForeign(definition: ToolDefinition): ToolDefinition {
    checkForeignDefinition(definition);
    this.#policy ??= new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
    // Triggers too, whatever the operator says of results: a description is read by every model that is offered the tool.
    const steps = this.#policy.stepsFor({ name: definition.name, labels: [] }, DEFAULT_OUTPUT_CONFIG, true);
    return cleanDefinition(definition, (text) => cleanText(text, steps, new Tally()));
  }

  /** From what the author wrote: a mark in what is shown must not change what is valid. */
  #compile({ definition, authorship = 'own' }: ToolRegistration, { validation }: ToolSettings): CompiledSchemas {
    const { inputSchema, outputSchema } = definition;
    const schema = this.#compiler.compile(inputSchema, { authorship, mode: validation.mode });
    return outputSchema === undefined ? { schema } : { schema, outputSchema: this.#compiler.compileAny(outputSchema, { authorship }) };
  }

  /** The same, for a list of which one bad tool must not take the others with it: a refusal is kept and given back. */
  tryRegister(registration: ToolRegistration): Registration {
    try {
      return { tool: this.register(registration) };
    } catch (cause) {
      const error = DevsError.is(cause) ? cause : new DevsError('TOOL_SCHEMA_REFUSED', { cause });
      const { name } = registration.definition;
      return { refused: this.noteRefused({ name, source: registration.source, code: error.code, reason: describeCause(error) }) };
    }
  }

  /** Keeps why a tool is not offered that never came so far as to be registered. Gives what is kept of it. */
  noteRefused(refusal: RefusedTool): RefusedTool {
    const refused = toRefusedTool(refusal);
    // A second tool under a name does not make the first one a refused one.
    if (!this.#tools.has(refused.name)) this.#refused.add(refused);
    return refused;
  }

  /** From now on the name is unknown, and free. A call that has found the tool already goes on. False when it was not there. */
  unregister(name: string): boolean {
    this.#refused.forget(name);
    return this.#tools.delete(name);
  }

  getTool(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** In the order of registration, the same for everyone. */
  listTools(): readonly RegisteredTool[] {
    return [...this.#tools.values()].filter(({ isOperation = false }) => !isOperation);
  }

  /** What was refused last, by name: at most 1,000. A name that is registered or unregistered since is not in it. */
  listRefused(): readonly RefusedTool[] {
    return this.#refused.list();
  }

  getToolNames(): readonly string[] {
    return this.listTools().map(({ name }) => name);
  }

  listToolsForContext(context: ToolExecutionContext): readonly RegisteredTool[] {
    return this.listTools().filter((tool) => isOffered(tool, context));
  }
}

type CompiledSchemas = Pick<RegisteredTool, 'schema' | 'outputSchema'>;

/** A copy that nobody holds: a list that is changed after the registration must not let more callers in. */
function snapshot(registration: ToolRegistration): ToolRegistration {
  const { definition, labels, allowedPhases, allowedEpics } = registration;
  return {
    ...registration,
    definition: structuredClone(definition),
    labels: [...labels],
    ...(allowedPhases !== undefined && { allowedPhases: Object.freeze([...allowedPhases]) }),
    ...(allowedEpics !== undefined && { allowedEpics: Object.freeze([...allowedEpics]) }),
  };
}

/** A list that is absent admits all; an empty one admits nobody. */
export function isOffered(tool: RegisteredTool, context: Pick<ToolExecutionContext, 'phaseId' | 'epicId'>): boolean {
  return admits(tool.allowedPhases, context.phaseId) && admits(tool.allowedEpics, context.epicId);
}

function admits(allowed: readonly string[] | undefined, claimed: string): boolean {
  return allowed === undefined || allowed.includes(claimed);
}

function nameRefused(sentence: string): DevsError {
  return new DevsError('TOOL_NAME_REFUSED', { sentence });
}

function quote(name: unknown): string {
  return JSON.stringify(cutWords(String(name), 60));
}
