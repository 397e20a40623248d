import { randomUUID } from 'node:crypto';
import { cutWords, describeCause, DevsError, type JsonObject, type LogLevel, type RegisteredTool, type StructuredLogger } from '@devs/core';
import type { AskedPage, ListKind, ListPage, Routed, UpstreamInstances } from '../../relay/ports.ts';
import { toPage } from './catalog.ts';
import type { Patience } from './patience.ts';
import { OWN_URI, InstanceLists, type UpstreamPart } from './instance-lists.ts';
import type { UpstreamInstance } from './upstream-instance.ts';
import { orAborted } from './or-aborted.ts';
import type { Timers } from '../protocol/timers.ts';
import type { ServerInfo, UpstreamEvent } from '../../protocol/upstream.ts';
import type { InstanceTool } from './upstream-pool-tools.ts';

export interface PooledInstancesOptions {
  /** Makes the parts, in the order of the configuration; what they say comes to the function. */
  readonly createParts: (onEvent: (event: UpstreamEvent) => void) => ReadonlyMap<string, UpstreamPart>;
  readonly onEvent: (event: UpstreamEvent) => void;
  readonly onEnd: () => void;
  readonly patience: Patience;
  readonly timers: Timers;
  readonly logger: StructuredLogger;
}

/** How a server of a client is. */
export interface ServerState {
  readonly server: string;
  readonly state: 'ready' | 'starting' | 'failed';
  /** Why it is not ready, for the operator. */
  readonly reason?: string;
}

/** The servers behind devs as one client has them: its own instances, which end with it. */
export class PooledInstances implements UpstreamInstances {
  readonly id = randomUUID();
  readonly #options: PooledInstancesOptions;
  readonly #parts: ReadonlyMap<string, UpstreamPart>;
  readonly #states = new Map<string, ServerState>();
  readonly #lists: InstanceLists;
  /** A client waits for each of these once: one that hangs must not hold up every request. */
  readonly #late = { useMs: new Set<string>(), listMs: new Set<string>() };
  /** Before the client has been told what there is, no change of it is news. */
  #isTold = false;
  #ended: Promise<void> | undefined;

  constructor(options: PooledInstancesOptions) {
    this.#options = options;
    this.#parts = options.createParts((event) => {
      if (!isChange(event) || this.#isTold) options.onEvent(event);
    });
    this.#lists = new InstanceLists({ ...options, parts: this.#parts });
  }

  get states(): readonly ServerState[] {
    return [...this.#parts.keys()].map((server) => this.#states.get(server) ?? { server, state: 'starting' });
  }

  /** What the servers say of themselves, as it is pinned. Not cleaned. */
  get instructions(): ReadonlyMap<string, string> {
    return new Map([...this.#parts].flatMap(([name, { server }]) => (server.instructions === undefined ? [] : [[name, server.instructions]])));
  }

  /** The client's instance of a server. */
  part(server: string): UpstreamPart | undefined {
    return this.#parts.get(server);
  }

  async ready(signal: AbortSignal): Promise<void> {
    await this.#wait('useMs', signal);
  }

  async readyToList(signal: AbortSignal): Promise<void> {
    await this.#wait('listMs', signal);
  }

  async #wait(purpose: keyof Patience, signal: AbortSignal): Promise<void> {
    const { timers, patience } = this.#options;
    const late = this.#late[purpose];
    const done = new AbortController();
    const awaited = [...this.#parts.keys()].filter((name) => !late.has(name));
    const starts = new Map([...this.#parts].map(([name, { server }]) => [name, this.#start(name, server)]));
    const all = Promise.all(awaited.map(async (name) => starts.get(name)));
    try {
      await orAborted(Promise.race([all, timers.sleep(patience[purpose], done.signal)]), signal);
      for (const name of awaited) if (this.#states.get(name)?.state !== 'ready') late.add(name);
    } finally {
      done.abort();
      this.#isTold = true;
    }
  }

  async require(name: string, signal: AbortSignal): Promise<ServerInfo> {
    const part = this.#parts.get(name);
    await part?.server.ready(signal);
    const info = part?.server.info;
    if (info === undefined) throw new DevsError('UPSTREAM_UNAVAILABLE');
    this.#isTold = true;
    return info;
  }

  offers(tool: RegisteredTool): boolean {
    if (tool.kind !== 'upstream') return true;
    const part = this.#parts.get(tool.source);
    if (part === undefined || tool.isOperation === true) return part !== undefined;
    const listed = part.server.tools.get(tool.name);
    return listed !== undefined && part.tools.isOffered(tool.name, listed);
  }

  positionOf({ kind, source }: RegisteredTool): number {
    return kind === 'upstream' ? [...this.#parts.keys()].indexOf(source) : -1;
  }

  /** Also true for a tool that has changed since it was pinned: it is in no list, and a call of it is refused for that. */
  knows(tool: RegisteredTool): boolean {
    return this.offers(tool) || this.#listed(tool)?.isChanged === true;
  }

  async list(kind: ListKind, { cursor, admits }: AskedPage, signal: AbortSignal): Promise<ListPage> {
    const entries = (await this.#lists.gather(kind, { signal, isList: true })).filter(({ server }) => admits(server));
    return toPage(entries.map(({ item }) => item), kind, cursor);
  }

  async routeUri(uri: string, signal: AbortSignal): Promise<Routed | undefined> {
    if (OWN_URI.test(uri)) return undefined;
    const [listed] = await this.#lists.gather('resources', { key: uri, signal });
    const templates = listed === undefined ? await this.#lists.gather('templates', { signal }) : [];
    const found = listed ?? templates.find(({ key, template }) => key === uri || template?.matches(uri) === true);
    if (found !== undefined) return { server: found.server, ownName: uri };
    // Servers need not list what they have. Which of several would have it nobody can say.
    const [only, ...others] = this.#lists.having('resources');
    return only !== undefined && others.length === 0 ? { server: only, ownName: uri } : undefined;
  }

  async routePrompt(name: string, signal: AbortSignal): Promise<Routed | undefined> {
    const listed = (await this.#lists.gather('prompts', { signal })).find(({ item }) => item['name'] === name);
    if (listed !== undefined) return { server: listed.server, ownName: listed.key };
    const [only, ...others] = this.#lists.having('prompts');
    const namespace = only === undefined ? undefined : this.#parts.get(only)?.namespace;
    return only !== undefined && others.length === 0 && namespace === '' ? { server: only, ownName: name } : undefined;
  }

  async subscribe(uri: string, signal: AbortSignal): Promise<void> {
    await (await this.#requireServer(uri, signal)).subscribe(uri, signal);
  }

  async unsubscribe(uri: string, signal: AbortSignal): Promise<void> {
    // Whoever was asked to tell of it: by now another server may list it.
    const telling = [...this.#parts.values()].filter(({ server }) => server.isSubscribed(uri));
    await Promise.all(telling.map(async ({ server }) => server.unsubscribe(uri, signal)));
  }

  setLogLevel(level: LogLevel): void {
    for (const { server } of this.#parts.values()) server.setLogLevel(level);
  }

  notify(method: string, params: JsonObject): void {
    for (const { server } of this.#parts.values()) server.notify(method, params);
  }

  async end(): Promise<void> {
    this.#ended ??= Promise.allSettled([...this.#parts.values()].map(async ({ server }) => server.end())).then(() => this.#options.onEnd());
    return this.#ended;
  }

  #listed({ kind, source, name }: RegisteredTool): InstanceTool | undefined {
    return kind === 'upstream' ? this.#parts.get(source)?.server.tools.get(name) : undefined;
  }

  /** Never rejects: one server's failure is no other's. */
  async #start(name: string, server: UpstreamInstance): Promise<void> {
    try {
      await server.ready(new AbortController().signal);
      this.#states.set(name, { server: name, state: 'ready' });
      for (const late of Object.values(this.#late)) late.delete(name);
    } catch (cause) {
      const reason = DevsError.is(cause) ? cause.sentence : describeCause(cause);
      this.#states.set(name, { server: name, state: 'failed', reason: cutWords(reason, 500) });
    }
  }

  async #requireServer(uri: string, signal: AbortSignal): Promise<UpstreamInstance> {
    const routed = await this.routeUri(uri, signal);
    const part = routed === undefined ? undefined : this.#parts.get(routed.server);
    if (part === undefined) throw new DevsError('RESOURCE_NOT_FOUND');
    return part.server;
  }
}

function isChange({ kind }: UpstreamEvent): boolean {
  return kind === 'tools-changed' || kind === 'prompts-changed' || kind === 'resources-changed';
}
