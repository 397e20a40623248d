import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  canonicalJson,
  cutWords,
  describeCause,
  DevsError,
  type Json,
  type JsonObject,
  type RawToolOutput,
  type Registration,
  type StructuredLogger,
  type ToolDefinition,
  type ToolRegistry,
} from '@devs/core';
import { isWireTool } from '../orchestrator/wire.ts';
import type { ListedTool } from './listed-tools.ts';

export interface UpstreamToolsOptions {
  readonly registry: ToolRegistry;
  /** Where the tools come from, as `devs tools` and the log show it. */
  readonly source: string;
  readonly call: (name: string, args: JsonObject, signal: AbortSignal) => Promise<RawToolOutput>;
  readonly logger: StructuredLogger;
}

/** Names and complaints that are kept: a server that thinks of new ones for ever must not fill the memory. */
const MOST_REMEMBERED = 10_000;

/** The tools of one server in the registry: what is listed is offered, what was never seen to change. */
export class UpstreamTools {
  readonly #options: UpstreamToolsOptions;
  /** By name, the digest of the definition as it was first listed. */
  readonly #first = new Map<string, string>();
  readonly #withdrawn = new Set<string>();
  readonly #offered = new Set<string>();
  /** Digests of definitions that could not be registered. */
  readonly #unfit = new Set<string>();
  readonly #said = new Set<string>();

  constructor(options: UpstreamToolsOptions) {
    this.#options = options;
  }

  /** Takes over what the server lists now. True when clients are offered something else than before. Never throws. */
  async update(listed: readonly ListedTool[]): Promise<boolean> {
    const before = [...this.#offered].join('\n');
    const seen = new Set<string>();
    for (const tool of listed) {
      const name = this.#take(tool, seen);
      if (name !== undefined) seen.add(name);
      // Compiling a schema takes its time: calls that run, and the stop, come between.
      await setImmediate();
    }
    for (const name of this.#offered) {
      if (!seen.has(name)) this.#remove(name);
    }
    return [...this.#offered].join('\n') !== before;
  }

  /** The tool's name if it is offered now. */
  #take(tool: ListedTool, seen: ReadonlySet<string>): string | undefined {
    const { name } = tool;
    try {
      if ('refusal' in tool) return this.#refuse(name, tool.refusal);
      if (seen.has(tool.name)) return this.#refuse(name, 'The server lists two tools of this name.');
      if (this.#withdrawn.has(tool.name)) return undefined;
      return this.#offer(tool.definition) ? name : undefined;
    } catch (cause) {
      return this.#refuse(name, describeCause(cause));
    }
  }

  #refuse(name: string | undefined, reason: string): undefined {
    const { registry, source } = this.#options;
    if (name !== undefined) registry.noteRefused({ name, source, code: 'TOOL_SCHEMA_REFUSED', reason });
    this.#say('UPSTREAM_TOOL_REFUSED', name, reason);
    return undefined;
  }

  #offer(definition: ToolDefinition): boolean {
    const { name } = definition;
    const digest = digestOf(definition);
    const first = this.#first.get(name);
    if (first !== undefined && first !== digest) return this.#withdraw(name);
    if (this.#offered.has(name)) return true;
    if (this.#first.size >= MOST_REMEMBERED) throw new DevsError('TOOL_NAME_REFUSED', { sentence: 'The server has named too many tools.' });
    // What was found unfit once is not compiled again each time the server lists it.
    if (this.#unfit.has(digest)) return false;
    const registration = this.#register(definition, digest);
    if ('refused' in registration) {
      this.#say('UPSTREAM_TOOL_REFUSED', name, registration.refused.reason);
      return false;
    }
    this.#first.set(name, digest);
    this.#offered.add(name);
    return true;
  }

  #register(definition: ToolDefinition, digest: string): Registration {
    if (this.#unfit.size < MOST_REMEMBERED) this.#unfit.add(digest);
    if (!isWireTool(definition)) throw new DevsError('TOOL_SCHEMA_REFUSED', { sentence: 'The definition is not what MCP calls a tool.' });
    const { registry, source, call } = this.#options;
    const { name } = definition;
    const registration = registry.tryRegister({
      definition,
      authorship: 'foreign',
      kind: 'upstream',
      handler: async (args, { signal }) => call(name, args, signal),
      // What it says of itself is a claim, and so is what it gives back.
      effects: true,
      labels: ['untrusted'],
      source,
    });
    if ('tool' in registration) this.#unfit.delete(digest);
    return registration;
  }

  /** The person approved what was first listed; another tool under its name is a rug pull. */
  #withdraw(name: string): false {
    this.#withdrawn.add(name);
    this.#remove(name);
    const reason = 'Its definition changed since it was first listed; it is withdrawn until devs is started again.';
    const { registry, source } = this.#options;
    registry.noteRefused({ name, source, code: 'TOOL_SCHEMA_REFUSED', reason });
    this.#say('UPSTREAM_TOOL_CHANGED', name, reason);
    return false;
  }

  #remove(name: string): void {
    if (this.#offered.delete(name)) this.#options.registry.unregister(name);
  }

  /** Once for each tool and reason. */
  #say(event: string, name: unknown, reason: string): void {
    const { logger, source } = this.#options;
    const line = { source, tool: quote(name), reason: cutWords(reason, 500) };
    const key = `${event} ${line.tool} ${line.reason}`;
    if (this.#said.has(key) || this.#said.size >= MOST_REMEMBERED) return;
    this.#said.add(key);
    logger.warn(event, line);
  }
}

function digestOf(definition: ToolDefinition): string {
  const members: readonly (readonly [string, Json])[] = Object.entries(definition);
  return createHash('sha256').update(canonicalJson(Object.fromEntries(members))).digest('base64');
}

/** A name that may be anything, short and in ASCII: what is refused for its hidden characters is not shown with them. */
function quote(name: unknown): string {
  const text = JSON.stringify(typeof name === 'string' ? cutWords(name, 60) : null);
  return text.replace(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
