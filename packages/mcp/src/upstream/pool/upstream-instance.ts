import { cutWords, describeCause, DevsError, type Enforcement, type JsonObject, type LogLevel, type StructuredLogger } from '@devs/core';
import type { ListKind } from '../../relay/ports.ts';
import { fetchCatalog, LISTS, type CatalogEntry, type ListingCleaner } from './catalog.ts';
import { withDeadline } from '../protocol/health.ts';
import { announces, newsOf } from './list-news.ts';
import { fetchTools } from './listed-tools.ts';
import { orAborted } from './or-aborted.ts';
import { BackOff, type Timers } from '../protocol/timers.ts';
import { quote } from './tool-names.ts';
import { ToolRefresh } from './tool-refresh.ts';
import type { ServerInfo, Upstream, UpstreamAnswer, UpstreamEvent, UpstreamRequest } from '../../protocol/upstream.ts';
import type { InstanceTools, ServerTools } from './upstream-pool-tools.ts';

export interface UpstreamInstanceOptions {
  readonly tools: ServerTools;
  readonly connect: (onEvent: (event: UpstreamEvent) => void) => Upstream;
  readonly clean: ListingCleaner;
  readonly timers: Timers;
  readonly logger: StructuredLogger;
  /** What the client is to hear of. A change of tools is told once they are listed anew. */
  readonly onEvent: (event: UpstreamEvent) => void;
}

/** Milliseconds that a server gets for each list. */
const LIST_TIMEOUT_MS = 60_000;
/** A server that does not start is tried so often before somebody asks for it again. */
const MOST_RETRIES = 5;
/** Instances in a row that end while they are listed. */
const MOST_TURNS = 3;
/** Lists of a server that does not say when they change are good for so long. */
const FRESH_MS = 1_000;

interface KeptList {
  readonly entries: readonly CatalogEntry[];
  readonly at: number;
}

/** One server as one client has it: the instance, what it lists, and what of that the client is offered. */
export class UpstreamInstance {
  readonly #options: UpstreamInstanceOptions;
  readonly #upstream: Upstream;
  readonly #stop = new AbortController();
  readonly #lists = new Map<ListKind, KeptList>();
  readonly #listing = new Map<ListKind, Promise<readonly CatalogEntry[]>>();
  readonly #subscribed = new Set<string>();
  #tools: InstanceTools = new Map();
  #instructions: string | undefined;
  #opening: Promise<void> | undefined;
  #refresh: ToolRefresh | undefined;
  /** What the instance said whose tools were taken in: of another one they may be others. */
  #listed: ServerInfo | undefined;
  #logLevel: LogLevel | undefined;
  #failures = 0;
  #wasThere = false;

  constructor(options: UpstreamInstanceOptions) {
    this.#options = options;
    this.#upstream = options.connect((event) => this.#hear(event));
  }

  get name(): string {
    return this.#upstream.name;
  }

  get info(): ServerInfo | undefined {
    return this.#upstream.info;
  }

  get enforcement(): Enforcement | undefined {
    return this.#upstream.enforcement;
  }

  get tools(): InstanceTools {
    return this.#tools;
  }

  /** What was pinned of what the server says of itself. Not cleaned. */
  get instructions(): string | undefined {
    return this.#instructions;
  }

  has(capability: 'tools' | 'resources' | 'prompts' | 'completions' | 'logging'): boolean {
    return this.#upstream.info?.capabilities[capability] !== undefined;
  }

  /** Resolves when the server is there and its tools are taken in. Rejects with why not; it is then tried again for a while. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#isListed) return;
    if (this.#stop.signal.aborted) throw new DevsError('SERVER_STOPPING');
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    await orAborted(this.#opening, signal);
  }

  /** Never reaches an instance whose tools have not been held against their pins. @param check throws, right before, where it must not be made */
  async request(request: UpstreamRequest, check?: () => void): Promise<UpstreamAnswer> {
    await this.ready(request.signal);
    // From here on nothing comes between: another instance would be another server.
    if (!this.#isListed) throw new DevsError('UPSTREAM_UNAVAILABLE');
    check?.();
    return this.#upstream.request(request);
  }

  /** One list, cleaned. Asked for anew each time, unless the server says when it changes. Rejects where it cannot be had. */
  async list(kind: ListKind, signal: AbortSignal): Promise<readonly CatalogEntry[]> {
    await this.ready(signal);
    if (!this.has(LISTS[kind].capability)) return [];
    const kept = this.#lists.get(kind);
    if (kept !== undefined && (announces(this.#upstream.info?.capabilities ?? {}, LISTS[kind].capability) || this.#options.timers.monotonicMs() - kept.at < FRESH_MS)) return kept.entries;
    const running = this.#listing.get(kind) ?? this.#fetch(kind).finally(() => this.#listing.delete(kind));
    this.#listing.set(kind, running);
    return orAborted(running, signal);
  }

  /** What was listed last, without asking. */
  lastListed(kind: ListKind): readonly CatalogEntry[] | undefined {
    return this.#lists.get(kind)?.entries;
  }

  async subscribe(uri: string, signal: AbortSignal): Promise<void> {
    await this.request({ method: 'resources/subscribe', params: { uri }, signal });
    this.#subscribed.add(uri);
  }

  isSubscribed(uri: string): boolean {
    return this.#subscribed.has(uri);
  }

  async unsubscribe(uri: string, signal: AbortSignal): Promise<void> {
    this.#subscribed.delete(uri);
    await this.request({ method: 'resources/unsubscribe', params: { uri }, signal });
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    if (this.#isListed) this.#sendLogLevel();
  }

  notify(method: string, params: JsonObject): void {
    if (this.#upstream.info !== undefined) this.#upstream.notify(method, params);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    this.#options.tools.release(this);
    await this.#upstream.end();
  }

  get #isListed(): boolean {
    return this.#listed !== undefined && this.#upstream.info === this.#listed;
  }

  async #open(): Promise<void> {
    try {
      for (let turn = 0; turn < MOST_TURNS && !this.#isListed; turn += 1) await this.#take(await this.#upstream.ready(this.#stop.signal));
      if (!this.#isListed) throw new DevsError('UPSTREAM_LOST', { sentence: 'The server ends again and again while it is asked for its tools.' });
      this.#failures = 0;
      this.#resume();
    } catch (cause) {
      this.#retry();
      throw cause;
    }
  }

  async #take(info: ServerInfo): Promise<void> {
    const refresh = this.#createRefresh(info);
    // From now on: a change that is told right behind the first list is one of it.
    this.#refresh = refresh;
    try {
      await refresh.first();
      this.#listed = info;
    } catch (cause) {
      this.#refresh = undefined;
      // One that died is started again.
      if (this.#upstream.info !== info) return;
      this.#warn('UPSTREAM_LIST_FAILED', cause);
      throw cause;
    }
  }

  #createRefresh(info: ServerInfo): ToolRefresh {
    const { timers } = this.#options;
    let isFirst = true;
    return new ToolRefresh({
      list: async () => {
        // Of an instance that is gone nothing is listed: asking would start another.
        if (this.#upstream.info !== info) return;
        const hasChanged = await this.#takeTools(info);
        if (hasChanged || isFirst) this.#options.onEvent({ kind: 'tools-changed' });
        if (isFirst) for (const news of newsOf(info.capabilities, this.#wasThere)) this.#options.onEvent(news);
        isFirst = false;
        this.#wasThere = true;
      },
      pause: async (milliseconds) => timers.sleep(milliseconds, this.#stop.signal),
      onFailure: (cause) => {
        this.#listed = undefined;
        this.#warn('UPSTREAM_LIST_FAILED', cause);
      },
    });
  }

  /** True when the client is offered something else than before. */
  async #takeTools({ capabilities, instructions, serverInfo }: ServerInfo): Promise<boolean> {
    const listed = capabilities['tools'] === undefined ? [] : await fetchTools(async (method, params) => this.#ask(method, params));
    const { version } = serverInfo;
    const saidVersion = typeof version === 'string' ? cutWords(version, 100) : undefined;
    const before = this.#describeOffer();
    const taken = await this.#options.tools.take(this, { tools: listed, instructions, saidVersion });
    this.#tools = taken.tools;
    this.#instructions = taken.instructions;
    return this.#describeOffer() !== before;
  }

  async #fetch(kind: ListKind): Promise<readonly CatalogEntry[]> {
    const { clean, logger, timers } = this.#options;
    const info = this.#upstream.info;
    const onRefused = (key: string, reason: string) =>
      logger.warn('UPSTREAM_ENTRY_REFUSED', { source: this.name, list: kind, entry: quote(key), reason: cutWords(reason, 500) });
    const entries = await fetchCatalog(kind, { ask: async (method, params) => this.#ask(method, params), clean, onRefused });
    if (this.#upstream.info === info) this.#lists.set(kind, { entries, at: timers.monotonicMs() });
    return entries;
  }

  async #ask(method: string, params: JsonObject): Promise<unknown> {
    const answer = await withDeadline(this.#options.timers, LIST_TIMEOUT_MS, async (late) =>
      this.#upstream.request({ method, params, signal: AbortSignal.any([late, this.#stop.signal]) }),
    );
    if (answer.kind !== 'complete') throw new DevsError('UPSTREAM_ANSWER_REFUSED', { sentence: 'The server asks something where it may not.' });
    return answer.result;
  }

  #hear(event: UpstreamEvent): void {
    // Of what it was not asked for it may not speak: that may be another server's.
    if (event.kind === 'resource-updated' && !this.#subscribed.has(event.uri)) return;
    switch (event.kind) {
      case 'tools-changed':
        return this.#refresh?.request();
      case 'prompts-changed':
        this.#lists.delete('prompts');
        break;
      case 'resources-changed':
        this.#lists.delete('resources');
        this.#lists.delete('templates');
        break;
      case 'lost':
        this.#lose();
        break;
      default:
    }
    this.#options.onEvent(event);
  }

  /** Who has used it hears of its changes: it is listed again as soon as it is there. */
  #lose(): void {
    const wasListed = this.#listed !== undefined;
    this.#listed = undefined;
    this.#refresh = undefined;
    this.#lists.clear();
    if (wasListed && !this.#stop.signal.aborted) void this.ready(this.#stop.signal).catch(() => undefined);
  }

  /** What the client has asked for holds for each instance. */
  #resume(): void {
    if (this.#logLevel !== undefined) this.#sendLogLevel();
    for (const uri of this.#subscribed) this.#send('resources/subscribe', { uri });
  }

  #sendLogLevel(): void {
    if (this.#logLevel !== undefined && this.has('logging')) this.#send('logging/setLevel', { level: this.#logLevel });
  }

  #send(method: string, params: JsonObject): void {
    this.#ask(method, params).catch((cause: unknown) => this.#warn('UPSTREAM_REQUEST_FAILED', cause));
  }

  /** The connection has said why. */
  #retry(): void {
    if (this.#stop.signal.aborted) return;
    this.#failures += 1;
    if (this.#failures > MOST_RETRIES) return;
    const backOff = new BackOff();
    for (let turn = 1; turn < this.#failures; turn += 1) backOff.delayAfter(0);
    void this.#options.timers.sleep(backOff.delayAfter(0) * 4, this.#stop.signal).then(async () => {
      if (!this.#stop.signal.aborted && !this.#isListed) await this.ready(this.#stop.signal).catch(() => undefined);
    });
  }

  #describeOffer(): string {
    const { tools } = this.#options;
    return [...this.#tools].flatMap(([name, tool]) => (tools.isOffered(name, tool) ? [`${name} ${tool.digest}`] : [])).join('\n');
  }

  #warn(event: string, cause: unknown): void {
    this.#options.logger.warn(event, { source: this.name, error: cutWords(describeCause(cause), 500) });
  }
}
