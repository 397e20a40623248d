import type { AuditEvent } from '../../audit/events.ts';
import type { RawToolOutput } from '../../protocol/tool-result.ts';
import { ToolRegistry, type ToolLookup, type ToolRegistryOptions } from '../../tool-registry/ToolRegistry.ts';
import type { RegisteredTool, ToolExecutionContext, ToolRegistration } from '../../tool-registry/types.ts';
import type { ValidatedArgs } from '../../validation/schema.ts';
import { ToolProxy, type ToolProxyOptions } from '../ToolProxy.ts';
import type { AgentLogIntent, AgentLogReceipt, AgentLogRecord, AgentLogRepository, IntentWishes, SandboxExecutor, SandboxRun, ToolCallRequest } from '../call/types.ts';

export const CALL_ID = '00000000-0000-4000-8000-000000000001';

export const context: ToolExecutionContext = {
  projectRoot: '/project',
  agentId: 'agent-7',
  turnIndex: 3,
  phaseId: 'phase-1',
  epicId: 'epic-2',
  taskId: 'task-9',
};

/** `read_file { path }`, as its author writes it; tests change a part of it. */
export function describeTool(changes: Partial<ToolRegistration> & { readonly name?: string } = {}): ToolRegistration {
  const { name = 'read_file', ...rest } = changes;
  return {
    definition: {
      name,
      description: 'Reads a file.',
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string' }, options: {} },
        required: ['path'],
        additionalProperties: false,
      },
    },
    handler: () => Promise.reject(new Error('the gate must not call a handler itself')),
    effects: false,
    labels: [],
    source: 'built-in',
    ...rest,
  };
}

export interface Execution {
  readonly tool: RegisteredTool;
  readonly args: ValidatedArgs;
  readonly context: ToolExecutionContext;
  readonly run: SandboxRun;
}

export interface SceneSetting {
  readonly tools?: readonly ToolRegistration[];
  /** Of the registry that `tools` go into. */
  readonly registry?: ToolRegistryOptions;
  /** What the sandbox does. `unknown`: a tool hands over what it likes. */
  readonly execute?: (execution: Execution) => unknown;
  /** Absent: it succeeds. Null: the repository has none. */
  readonly begin?: ((intent: AgentLogIntent, wishes?: IntentWishes) => Promise<void>) | null;
  readonly append?: (record: AgentLogRecord) => Promise<AgentLogReceipt | void>;
  readonly abandon?: (callId: string) => void;
  readonly tap?: (event: AuditEvent) => void | Promise<void>;
  readonly lookup?: (registry: ToolRegistry) => ToolLookup;
  readonly options?: ToolProxyOptions;
  readonly refusePaths?: SandboxExecutor['refusePaths'];
}

/** A proxy whose every neighbour writes down what it was asked. */
export interface Scene {
  readonly proxy: ToolProxy;
  readonly steps: readonly string[];
  readonly executions: readonly Execution[];
  readonly intents: readonly AgentLogIntent[];
  readonly records: readonly AgentLogRecord[];
  readonly events: readonly AuditEvent[];
}

export function createScene(setting: SceneSetting = {}): Scene {
  const steps: string[] = [];
  const executions: Execution[] = [];
  const { log, intents, records } = createLog(setting, steps);
  const events: AuditEvent[] = [];
  const registry = createRegistry(setting, steps);
  const sandbox = {
    ...(setting.refusePaths !== undefined && { refusePaths: setting.refusePaths }),
    execute: (...[tool, args, toolContext, run]: [RegisteredTool, ValidatedArgs, ToolExecutionContext, SandboxRun]) => {
      steps.push('execute');
      const execution = { tool, args, context: toolContext, run };
      executions.push(execution);
      const { execute = () => answer('contents') } = setting;
      return execute(execution) as Promise<RawToolOutput>;
    },
  };
  const tap = {
    log: (event: AuditEvent) => {
      steps.push(event.event);
      events.push(event);
      return setting.tap?.(event);
    },
  };
  const options = { createId: () => CALL_ID, clock: createClock(), ...setting.options };
  return { proxy: new ToolProxy(registry, sandbox, tap, log, options), steps, executions, intents, records, events };
}

/** A fixed wall clock, and a monotonic one that goes on by 5 ms each time it is read. */
function createClock(): { timestamp(): string; monotonicMs(): number } {
  let now = 1_000;
  return { timestamp: () => '2025-01-02T03:04:05.006Z', monotonicMs: () => (now += 5) };
}

function registryOf(tools: readonly ToolRegistration[], options?: ToolRegistryOptions): ToolRegistry {
  const registry = new ToolRegistry(options);
  for (const tool of tools) registry.register(tool);
  return registry;
}

/** Compiled once for all scenes: a law makes hundreds of them. Nobody changes it. */
const usual = registryOf([describeTool()]);

function createRegistry(setting: SceneSetting, steps: string[]): ToolLookup {
  const registry = setting.tools === undefined ? usual : registryOf(setting.tools, setting.registry);
  if (setting.lookup !== undefined) return setting.lookup(registry);
  const recordCheck = (tool: RegisteredTool): RegisteredTool => ({
    ...tool,
    schema: {
      check: (input) => {
        steps.push('validate');
        return tool.schema.check(input);
      },
    },
  });
  return {
    getTool: (name) => {
      const tool = registry.getTool(name);
      return tool === undefined ? undefined : recordCheck(tool);
    },
  };
}

function createLog(setting: SceneSetting, steps: string[]) {
  const intents: AgentLogIntent[] = [];
  const records: AgentLogRecord[] = [];
  const begin = (intent: AgentLogIntent, wishes?: IntentWishes) => {
    steps.push('begin');
    intents.push(intent);
    return setting.begin?.(intent, wishes) ?? Promise.resolve();
  };
  const append = (record: AgentLogRecord) => {
    steps.push('append');
    records.push(record);
    return setting.append?.(record) ?? Promise.resolve();
  };
  const { abandon = () => undefined } = setting;
  const log: AgentLogRepository = setting.begin === null ? { append } : { begin, append, abandon };
  return { log, intents, records };
}

/** A request for `read_file`, changed where the test says. From JavaScript any part may be of any type. */
export function request(changes: { readonly [key in keyof ToolCallRequest]?: unknown } = {}): ToolCallRequest {
  return { toolName: 'read_file', args: { path: 'src/index.ts' }, context, ...changes } as ToolCallRequest;
}

export function answer(text: string | Uint8Array) {
  return { content: [{ type: 'text', text }] };
}

/** A promise that nobody ever settles. */
export function never<Value = never>(): Promise<Value> {
  return new Promise<Value>(() => undefined);
}

/** What was told to machines of a refusal, without the id of its call. */
export function codeOf(result: { readonly _meta?: { readonly [key: string]: unknown } }): unknown {
  const refusal = result._meta?.['devs/refusal'];
  return typeof refusal === 'object' && refusal !== null && 'code' in refusal ? refusal.code : undefined;
}

/** All the text of an answer in one string, its meta too. */
export function wholeText(result: unknown): string {
  return JSON.stringify(result);
}
