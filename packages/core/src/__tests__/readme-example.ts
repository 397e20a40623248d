import { ToolProxy, ToolRegistry, type AgentLogRecord, type SandboxExecutor } from '../index.ts';

const registry = new ToolRegistry();
registry.register({
  definition: {
    name: 'greet',
    description: 'Says hello.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
  },
  handler: async ({ name }) => `hello ${JSON.stringify(name)}\u0000`,
  effects: false,
  labels: [],
  source: 'example',
});

/** Where tools run. `ToolRunner` of `@devs/sandbox` is the real one: it hands a tool what it may use. */
const sandbox: SandboxExecutor = { execute: async (_tool, { name }) => `hello ${JSON.stringify(name)}\u0000` };
/** What happened. `openSqliteAgentLogs` of `@devs/storage` keeps it. */
const records: AgentLogRecord[] = [];
const agentLogs = { append: async (record: AgentLogRecord) => void records.push(record) };
const auditLogger = { log: () => undefined };

const proxy = new ToolProxy(registry, sandbox, auditLogger, agentLogs);
const context = { projectRoot: '/project', agentId: 'agent-1', turnIndex: 0, phaseId: '', epicId: '' };

export const greeted = proxy.execute({ toolName: 'greet', args: { name: 'Ada' }, context });
// { content: [{ type: 'text', text: 'hello "Ada"' }] }

export const refused = proxy.execute({ toolName: 'greet', args: { name: 7 }, context });
// { isError: true, content: [{ type: 'error', text: 'Argument "/name" must be string. …' }], _meta: { … } }
