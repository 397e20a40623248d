import {
  describeBlock,
  ToolProxy,
  ToolRegistry,
  type AgentLogRecord,
  type JsonObject,
  type LogFields,
  type McpServerConfig,
  type SandboxExecutor,
  type StructuredLogger,
  type ToolCallRequest,
  type ToolResult,
} from '@devs/core';
import { MemoryPins } from '../../pins/memory-pins.ts';
import type { PinStore } from '../../pins/pin-store.ts';
import { SealedState } from '../../relay/sealed-state.ts';
import type { PooledInstances } from '../pool/pooled-instances.ts';
import type { Timers } from '../protocol/timers.ts';
import type { ClientSide, Upstream, UpstreamEvent } from '../../protocol/upstream.ts';
import { UpstreamPool } from '../pool/upstream-pool.ts';
import { CLIENT } from './connection-scene.ts';
import { FakeUpstream, type FakeServer } from './fake-upstream.ts';

export interface PoolScene extends AsyncDisposable {
  readonly pool: UpstreamPool;
  readonly registry: ToolRegistry;
  readonly proxy: ToolProxy;
  readonly records: readonly AgentLogRecord[];
  readonly said: readonly (LogFields & { readonly event: string })[];
  /** Instances, in the order in which they were made. */
  readonly instances: readonly FakeUpstream[];
  readonly events: UpstreamEvent[];
  join(): PooledInstances;
  /** A client that has come and has what there is. */
  joined(): Promise<PooledInstances>;
  offered(instances: PooledInstances): readonly string[];
  call(instances: PooledInstances | undefined, toolName: string, request?: Partial<ToolCallRequest>): Promise<ToolResult>;
  /** The same: the code that the log has, undefined for a call that went well. */
  codeOf(instances: PooledInstances | undefined, toolName: string, request?: Partial<ToolCallRequest>): Promise<string | undefined>;
}

export interface PoolSceneOptions {
  readonly config?: Readonly<Record<string, McpServerConfig>>;
  readonly pins?: PinStore;
  readonly registry?: ToolRegistry;
  readonly timers?: Timers;
  readonly yielding?: readonly string[];
  /** Default: a server that is made up. */
  readonly connect?: (name: string, client: ClientSide) => Upstream;
}

export const NOBODY = new AbortController().signal;
const CONTEXT = { projectRoot: '/project', agentId: 'a', turnIndex: 0, phaseId: '', epicId: '' };

/** Time that does not pass: a wait ends when it is given up. */
export const STILL: Timers = {
  monotonicMs: () => 0,
  sleep: async (_milliseconds, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
};

/** The real gate and the real pool in front of servers that are made up. */
export function createPoolScene(servers: Readonly<Record<string, FakeServer>>, options: PoolSceneOptions = {}): PoolScene {
  const registry = options.registry ?? new ToolRegistry();
  const records: AgentLogRecord[] = [];
  const said: (LogFields & { readonly event: string })[] = [];
  const instances: FakeUpstream[] = [];
  const events: UpstreamEvent[] = [];
  const hear = (event: string, fields: LogFields = {}) => void said.push({ ...fields, event });
  const logger: StructuredLogger = { debug: hear, info: hear, warn: hear, error: hear };
  const pool = new UpstreamPool({
    servers: Object.fromEntries(Object.keys(servers).map((name) => [name, { command: name, ...options.config?.[name] }])),
    registry,
    connect: (name, _config, client) => {
      if (options.connect !== undefined) return options.connect(name, client);
      const instance = new FakeUpstream(name, servers[name] ?? {}, client);
      instances.push(instance);
      return instance;
    },
    identify: ({ command = '' }) => ({ key: `exec:${command}` }),
    pins: options.pins ?? new MemoryPins(() => '2026-01-02T03:04:05.000Z'),
    clean: (_kind, raw) => raw as JsonObject,
    states: new SealedState({ now: () => 0 }),
    logger,
    ...(options.yielding !== undefined && { yielding: options.yielding }),
    timers: options.timers ?? STILL,
  });
  const sandbox: SandboxExecutor = {
    execute: async (found, checked, _context, { signal, upstream }) => {
      if (found.kind !== 'upstream') throw new Error('A tool of a server is of the kind upstream.');
      return found.handler(checked, { ...upstream, signal });
    },
  };
  const proxy = new ToolProxy(registry, sandbox, { log: () => undefined }, { append: async (record) => void records.push(record) });
  const join = () => pool.open({ info: CLIENT, onEvent: (event) => void events.push(event), ask: async () => ({}) });
  const call = async (instances: PooledInstances | undefined, toolName: string, request: Partial<ToolCallRequest> = {}) =>
    proxy.execute({
      toolName,
      args: {},
      context: CONTEXT,
      origin: { principal: 'test', channel: 'library' },
      ...(instances !== undefined && { session: instances, admits: (found) => instances.knows(found) }),
      ...request,
    });
  return {
    [Symbol.asyncDispose]: async () => pool.end(),
    pool,
    registry,
    proxy,
    records,
    said,
    instances,
    events,
    join,
    joined: async () => {
      const instances = join();
      await instances.ready(NOBODY);
      return instances;
    },
    offered: (instances) => registry.listTools().flatMap((found) => (instances.offers(found) ? [found.name] : [])),
    call,
    codeOf: async (...asked) => {
      await call(...asked);
      return records.at(-1)?.code ?? undefined;
    },
  };
}

/** The texts of a result, each out of its boundary. */
export function textOf({ content }: ToolResult): string {
  return content.map((block) => describeBlock(block).replace(BOUNDARY, '$<content>')).join('\n');
}

const BOUNDARY = /^<external-content-(?<id>[\da-f]{12}) source="[^"]*">\n(?<content>[^]*)\n<\/external-content-\k<id>>$/;
