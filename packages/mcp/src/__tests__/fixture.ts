import {
  DEFAULT_CONFIG,
  DEFAULT_TOOL_SETTINGS,
  ToolProxy,
  ToolRegistry,
  type AgentLogRecord,
  type AgentLogRepository,
  type SandboxExecutor,
  type ToolRegistration,
} from '@devs/core';
import { OrchestratorServer, type OrchestratorServerOptions } from '../orchestrator/OrchestratorServer.ts';
import { noFiles } from './no-files.ts';

export interface Fixture {
  readonly server: OrchestratorServer;
  readonly registry: ToolRegistry;
  /** What the log was given, in order. */
  readonly records: readonly AgentLogRecord[];
  /** Names of the tools that were started, in order. */
  readonly started: readonly string[];
}

/** A real gate over tools that need no disk: what is tested here is how calls arrive. */
export function createFixture(more: Partial<OrchestratorServerOptions> = {}): Fixture {
  // What is tested here is how answers travel, large ones too.
  const output = { ...DEFAULT_TOOL_SETTINGS.output, maxSizeBytes: DEFAULT_CONFIG.mcp.maxToolOutputBytes };
  const registry = new ToolRegistry({ settingsFor: () => ({ ...DEFAULT_TOOL_SETTINGS, output }) });
  for (const tool of [echo, wait, later, planning]) registry.register(tool);
  const started: string[] = [];
  const records: AgentLogRecord[] = [];
  const agentLogs: AgentLogRepository = {
    append: async (record) => {
      records.push(record);
    },
  };
  const proxy = new ToolProxy(registry, createSandbox(started), { log: () => undefined }, agentLogs);
  const server = new OrchestratorServer({ registry, proxy, projectRoot: '/project', version: '1.2.3', ...more });
  return { server, registry, records, started };
}

function createSandbox(started: string[]): SandboxExecutor {
  return {
    execute: async (tool, args, _context, { signal, view, readMore }) => {
      started.push(tool.name);
      if (tool.kind !== undefined) throw new Error('These tests have tools of one kind.');
      return tool.handler(args, { files: noFiles, view, readMore, signal });
    },
  };
}

const echo: ToolRegistration = {
  definition: {
    name: 'echo',
    description: 'Says the text again.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
  },
  handler: async ({ text }) => ({ content: [{ type: 'text', text: typeof text === 'string' ? text : '' }] }),
  effects: false,
  labels: [],
  source: 'built-in',
};

const wait: ToolRegistration = {
  ...echo,
  definition: { name: 'wait', description: 'Never ends by itself.', inputSchema: { type: 'object' } },
  handler: async () => new Promise(() => undefined),
  effects: true,
};

const later: ToolRegistration = {
  ...wait,
  definition: { ...wait.definition, name: 'later', description: 'Answers after a while.' },
  handler: async () => {
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return 'late';
  },
};

const planning: ToolRegistration = {
  ...echo,
  definition: { ...echo.definition, name: 'plan_only' },
  allowedPhases: ['planning'],
};
