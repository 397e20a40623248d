import { DevsError } from '../errors.ts';
import { SchemaCompiler } from '../validation/schema.ts';
import { checkForeignDefinition } from './foreign-definition.ts';
import type { RegisteredTool, ToolExecutionContext, ToolRegistration } from './types.ts';

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** What the gate needs of a registry. */
export interface ToolLookup {
  getTool(name: string): RegisteredTool | undefined;
}

/** The tools of one server. Names live in a `Map`: a tool called `constructor` is unknown until registered. */
export class ToolRegistry implements ToolLookup {
  readonly #tools = new Map<string, RegisteredTool>();
  readonly #compiler = new SchemaCompiler();

  /** Throws `TOOL_NAME_REFUSED` for a bad or taken name, `TOOL_SCHEMA_REFUSED` for a bad schema or definition. */
  register(registration: ToolRegistration): RegisteredTool {
    const { definition, authorship = 'own' } = registration;
    const { name } = definition;
    if (!TOOL_NAME.test(name)) {
      throw nameRefused(`A tool name is 1 to 128 characters of A-Z a-z 0-9 _ . -, not ${quote(name)}.`);
    }
    if (this.#tools.has(name)) throw nameRefused(`A tool called ${quote(name)} is registered already.`);
    if (authorship === 'foreign') checkForeignDefinition(definition);
    const schema = this.#compiler.compile(definition.inputSchema, authorship);
    const tool = Object.freeze({ ...snapshot(registration), name, schema });
    this.#tools.set(name, tool);
    return tool;
  }

  /** From now on the name is unknown, and free. A call that has found the tool already goes on. False when it was not there. */
  unregister(name: string): boolean {
    return this.#tools.delete(name);
  }

  getTool(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** In the order of registration, the same for everyone. */
  listTools(): readonly RegisteredTool[] {
    return [...this.#tools.values()];
  }

  getToolNames(): readonly string[] {
    return [...this.#tools.keys()];
  }

  listToolsForContext(context: ToolExecutionContext): readonly RegisteredTool[] {
    return this.listTools().filter((tool) => isOffered(tool, context));
  }
}

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
  return JSON.stringify(String(name).slice(0, 60).toWellFormed());
}
