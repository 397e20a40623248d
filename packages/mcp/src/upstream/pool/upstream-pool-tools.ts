import { setImmediate } from 'node:timers/promises';
import {
  cutWords,
  describeCause,
  DevsError,
  parseForeignDefinition,
  type JsonObject,
  type StructuredLogger,
  type ToolDefinition,
  type ToolHandler,
  type ToolLabel,
  type ToolRegistry,
} from '@devs/core';
import { isWireTool } from '../../protocol/wire.ts';
import type { PinStore, ServerIdentity, ServerPins, ShownTool } from '../../pins/pin-store.ts';
import { digestOf, toPinned } from '../../pins/pinned-definition.ts';
import type { ListedTool } from './listed-tools.ts';
import { toPublicName, type PublicNames } from './names.ts';
import { holdersOf, quote, requireOneName, requireOwnName } from './tool-names.ts';

export interface ServerToolsOptions {
  /** As the configuration calls the server. */
  readonly entry: string;
  readonly namespace: string;
  readonly identity: ServerIdentity;
  readonly labels: readonly ToolLabel[];
  readonly timeoutMs?: number;
  readonly registry: ToolRegistry;
  readonly names: PublicNames;
  /** Tools of devs's own that give way. */
  readonly yielding: readonly string[];
  readonly pins: PinStore;
  readonly logger: StructuredLogger;
  readonly createHandler: (tool: { readonly name: string; readonly ownName: string }) => ToolHandler<'upstream'>;
}

/** A tool as one client's instance of the server lists it. */
export interface InstanceTool {
  readonly ownName: string;
  /** Of what the instance lists. */
  readonly digest: string;
  /** True: it is not what was pinned, and is called by nobody. */
  readonly isChanged: boolean;
}

/** By the names that clients use. */
export type InstanceTools = ReadonlyMap<string, InstanceTool>;

/** What one instance shows of itself. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly instructions: string | undefined;
  readonly saidVersion: string | undefined;
}

export interface TakenListing {
  readonly tools: InstanceTools;
  /** What was pinned of what the server says of itself; undefined when there is none, or when it has changed. Not cleaned. */
  readonly instructions: string | undefined;
}

/** What one listing comes to, while it is taken in. */
interface Intake {
  readonly pins: ServerPins | undefined;
  readonly seen: Set<string>;
  readonly shown: Map<string, ShownTool>;
  readonly tools: Map<string, InstanceTool>;
  readonly refused: { readonly name: string; readonly reason: string }[];
  /** By the name that clients show, the one tool of the listing that has it. */
  readonly holders: ReadonlyMap<string, string>;
}

/** Complaints that are kept: a server that thinks of new ones for ever must not fill the memory. */
const MOST_REMEMBERED = 10_000;

/**
 * The tools of one server in the registry, for all clients that have an instance of it. A name is registered with the
 * definition that is pinned, and with no other; an instance that lists another one offers nothing under that name.
 */
export class ServerTools {
  readonly #options: ServerToolsOptions;
  /** By public name, the digest of what is registered. */
  readonly #registered = new Map<string, string>();
  readonly #holders = new Map<object, InstanceTools>();
  /** Digests of definitions that could not be registered: they are not compiled again each time they are listed. */
  readonly #unfit = new Map<string, string>();
  readonly #said = new Set<string>();
  #introduction: string | undefined;
  #knownNames: readonly string[] = [];

  constructor(options: ServerToolsOptions) {
    this.#options = options;
  }

  /** What is pinned of what the server says of itself, as far as it is known without asking. Not cleaned. */
  get introduction(): string | undefined {
    return this.#introduction;
  }

  /** Names that clients call its tools by, as far as they are known without asking. */
  get knownNames(): readonly string[] {
    return this.#knownNames;
  }

  /** Takes over from the pins what was seen of the server before this devs. Throws `STATE_UNUSABLE`. */
  async recall(): Promise<void> {
    const { instructions: pin, tools } = (await this.#options.pins.find(this.#options.identity)) ?? {};
    if (pin?.changed === undefined) this.#introduction = pin?.value;
    this.#knownNames = namesIn(tools);
  }

  /** Takes over what an instance lists now. Throws `STATE_UNUSABLE` when nothing can be pinned: then it offers nothing. */
  async take(holder: object, { tools, instructions, saidVersion }: Listing): Promise<TakenListing> {
    const { identity, pins, entry } = this.#options;
    const known = await pins.find(identity);
    const intake: Intake = { pins: known, seen: new Set(), shown: new Map(), tools: new Map(), refused: [], holders: holdersOf(tools, { namespace: this.#options.namespace, pins: known }) };
    for (const tool of tools) {
      this.#takeTool(tool, intake);
      // Compiling a schema takes its time: calls that run, and the stop, come between.
      await setImmediate();
    }
    const { shown, refused } = intake;
    const noted = await pins.note(identity, {
      entry,
      tools: shown,
      refused,
      ...(saidVersion !== undefined && { saidVersion }),
      ...(instructions !== undefined && { instructions }),
    });
    const taken = this.#settle(intake, noted);
    this.#holders.set(holder, taken);
    this.#forgetVanished();
    this.#introduction = this.#approvedInstructions(instructions, noted);
    this.#knownNames = namesIn(noted.tools);
    return { tools: taken, instructions: this.#introduction };
  }

  /** The instance is gone. What it listed stays registered for those who come next. */
  release(holder: object): void {
    this.#holders.delete(holder);
  }

  /** Whether what an instance lists under a name is what is registered under it. */
  isOffered(name: string, tool: InstanceTool): boolean {
    const { names, entry } = this.#options;
    return !tool.isChanged && this.#registered.get(name) === tool.digest && names.ownerOf(name) === entry;
  }

  /** Why a name is not one for the server to give, to a prompt neither: see `PublicNames`. */
  refuseName(name: string): string | undefined {
    const { names, entry } = this.#options;
    return names.refuse(name, entry);
  }

  #takeTool(tool: ListedTool, intake: Intake): void {
    const ownName = tool.name;
    try {
      if ('refusal' in tool) return this.#refuse(ownName, tool.refusal, intake);
      if (intake.seen.has(tool.name)) return this.#refuse(ownName, 'The server lists two tools of this name.', intake);
      intake.seen.add(tool.name);
      this.#takeDefinition(tool.definition, intake);
    } catch (cause) {
      this.#refuse(ownName, describeCause(cause), intake);
    }
  }

  #takeDefinition(definition: ToolDefinition, intake: Intake): void {
    const { namespace } = this.#options;
    const { name: ownName } = definition;
    requireOwnName(ownName);
    if (!isWireTool(definition)) throw new DevsError('TOOL_SCHEMA_REFUSED', { sentence: 'The definition is not what MCP calls a tool.' });
    const name = toPublicName(namespace, ownName);
    requireOneName(name, { namespace, ownName }, intake);
    const pinned = toPinned(definition);
    const digest = digestOf(pinned);
    const pin = intake.pins?.tools.get(ownName);
    const isChanged = pin !== undefined && pin.digest !== digest;
    // What is pinned stays known: a call is then refused for what has happened, and not as if there were no such tool.
    if (isChanged) this.#registerPinned({ name, ownName }, pin.value, pin.digest);
    else this.#register({ name, ownName }, definition, digest);
    intake.shown.set(ownName, { name, pinned });
    intake.tools.set(name, { ownName, digest, isChanged });
  }

  #registerPinned(tool: { readonly name: string; readonly ownName: string }, pinned: JsonObject, digest: string): void {
    try {
      this.#register(tool, parseForeignDefinition(pinned), digest);
    } catch {
      // What was fit once may not be under a newer devs. It is unknown then, which is no less safe.
    }
  }

  #register({ name, ownName }: { readonly name: string; readonly ownName: string }, definition: ToolDefinition, digest: string): void {
    const { registry, names, entry, labels, timeoutMs, createHandler } = this.#options;
    const taken = names.claim(name, entry);
    if (taken !== undefined) throw new DevsError('TOOL_NAME_REFUSED', { sentence: taken });
    if (this.#registered.get(name) === digest && registry.getTool(name)?.source === entry) return;
    const unfit = this.#unfit.get(`${name} ${digest}`);
    if (unfit !== undefined) throw new DevsError('TOOL_SCHEMA_REFUSED', { sentence: unfit });
    this.#unregister(name);
    const registration = registry.tryRegister({
      definition: { ...definition, name },
      authorship: 'foreign',
      kind: 'upstream',
      handler: createHandler({ name, ownName }),
      // What it says of itself is a claim, and so is what it gives back.
      effects: true,
      labels,
      source: entry,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    if ('tool' in registration) return void this.#registered.set(name, digest);
    const { code, reason: whole } = registration.refused;
    const reason = whole.startsWith(`${code}: `) ? whole.slice(code.length + 2) : whole;
    if (this.#unfit.size < MOST_REMEMBERED) this.#unfit.set(`${name} ${digest}`, reason);
    names.release(name, entry);
    throw new DevsError('TOOL_SCHEMA_REFUSED', { sentence: reason });
  }

  /** Also that of another server, from which `claim` has taken the name. Of devs's own only what gives way. */
  #unregister(name: string): void {
    const { registry, yielding } = this.#options;
    if (registry.getTool(name)?.kind === 'upstream' || yielding.includes(name)) registry.unregister(name);
    this.#registered.delete(name);
  }

  /** What counts now may differ from what was read: another devs may have seen the server first. */
  #settle({ tools, pins: before }: Intake, noted: ServerPins): InstanceTools {
    const settled = new Map<string, InstanceTool>();
    for (const [name, tool] of tools) {
      const pin = noted.tools.get(tool.ownName);
      const isChanged = pin?.digest !== tool.digest;
      if (isChanged && !tool.isChanged) this.#unregister(name);
      if (isChanged) this.#say('UPSTREAM_TOOL_CHANGED', tool.ownName, 'Its definition is not the one that was pinned; nobody can call it until devs tools approve.');
      else if (before !== undefined && !before.tools.has(tool.ownName)) this.#say('UPSTREAM_TOOL_NEW', tool.ownName, 'The server was known without it.');
      settled.set(name, { ...tool, isChanged });
    }
    return settled;
  }

  #approvedInstructions(text: string | undefined, { instructions: pin }: ServerPins): string | undefined {
    if (text === undefined || pin?.digest === digestOf(text)) return text;
    this.#say('UPSTREAM_INSTRUCTIONS_CHANGED', undefined, 'What the server says of itself is not what was pinned; it is withheld until devs tools approve.');
    return undefined;
  }

  #forgetVanished(): void {
    const { names, entry, registry } = this.#options;
    const listed = new Set([...this.#holders.values()].flatMap((tools) => [...tools.keys()]));
    for (const name of this.#registered.keys()) {
      if (listed.has(name)) continue;
      // Not what another server has under the name by now.
      if (registry.getTool(name)?.source === entry) this.#unregister(name);
      this.#registered.delete(name);
      names.release(name, entry);
    }
  }

  #refuse(ownName: string | undefined, reason: string, intake: Intake): void {
    const { registry, entry, namespace } = this.#options;
    if (ownName !== undefined) {
      const name = toPublicName(namespace, ownName);
      registry.noteRefused({ name, source: entry, code: 'TOOL_SCHEMA_REFUSED', reason });
      intake.refused.push({ name: cutWords(name, 200), reason: cutWords(reason, 500) });
    }
    this.#say('UPSTREAM_TOOL_REFUSED', ownName, reason);
  }

  /** Once for each tool and reason. */
  #say(event: string, name: string | undefined, reason: string): void {
    const { logger, entry } = this.#options;
    const line = { source: entry, ...(name !== undefined && { tool: quote(name) }), reason: cutWords(reason, 500) };
    const key = `${event} ${line.tool ?? ''} ${line.reason}`;
    if (this.#said.has(key) || this.#said.size >= MOST_REMEMBERED) return;
    this.#said.add(key);
    logger.warn(event, line);
  }
}

const namesIn = (tools: ServerPins['tools'] = new Map()): readonly string[] => [...tools.values()].map(({ name }) => name);
