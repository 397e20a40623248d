import { silentLogger, ToolProxy, ToolRegistry, type AgentLogRecord, type AgentLogRepository, type RawToolOutput, type ToolRegistration } from '@devs/core';
import { AgentLoop, type AgentLoopOptions } from '../agent-loop.ts';
import type { AgentEvent } from '../events.ts';
import { LlmFailure, type LlmClient, type LlmEvent, type LlmRequest } from '../llm-client.ts';

export const USAGE = { inputTokens: 1, outputTokens: 2, cacheCreationInputTokens: 3, cacheReadInputTokens: 4 };

/** What the model says in one turn; a failure is thrown. */
export type Said = { readonly content: readonly unknown[]; readonly stop_reason: unknown } | LlmFailure;

/** A model that says what is written; past the end of its script it ends. */
export class ScriptedClient implements LlmClient {
  readonly requests: LlmRequest[] = [];
  readonly #script: readonly (Said | ((request: LlmRequest) => Said))[];

  constructor(script: readonly (Said | ((request: LlmRequest) => Said))[]) {
    this.#script = script;
  }

  async *stream(request: LlmRequest): AsyncGenerator<LlmEvent> {
    const place = this.requests.push({ ...request, messages: structuredClone(request.messages) }) - 1;
    const said = this.#script[place] ?? { content: [{ type: 'text', text: 'done' }], stop_reason: 'end_turn' };
    const response = typeof said === 'function' ? said(request) : said;
    if (response instanceof LlmFailure) throw response;
    yield { type: 'answer', answer: { response, usage: USAGE } };
  }
}

export function use(id: unknown, name: unknown, input: unknown) {
  return { type: 'tool_use', id, name, input };
}

export function asks(...content: readonly unknown[]): Said {
  return { content, stop_reason: 'tool_use' };
}

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false } as const;

export function tool(name: string, effects: boolean, definition: object = {}): ToolRegistration {
  return { definition: { name, description: name, inputSchema: schema, ...definition }, handler: async () => '', effects, labels: [], source: 'test' };
}

export interface SceneOptions extends Partial<Omit<AgentLoopOptions, 'registry' | 'proxy' | 'client'>> {
  readonly script: readonly (Said | ((request: LlmRequest) => Said))[];
  readonly run?: (name: string, path: string, signal: AbortSignal) => Promise<RawToolOutput> | RawToolOutput;
  readonly repository?: Partial<AgentLogRepository>;
  readonly tools?: readonly ToolRegistration[];
  readonly task?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => Promise<void> | void;
}

/** One run of the loop with the real gate: what was asked of the model, what the log holds, what was told. */
export async function play({ script, run = (name, path) => `${name} ${path}`, repository, tools, task = 'the task', signal, onEvent, ...options }: SceneOptions) {
  const registry = new ToolRegistry();
  for (const registration of tools ?? [tool('read', false), tool('write', true)]) registry.register(registration);
  const records: AgentLogRecord[] = [];
  const ran: string[] = [];
  const append = async (record: AgentLogRecord) => void records.push(record);
  const proxy = new ToolProxy(
    registry,
    {
      execute: async ({ name }, { path }, _context, { signal: deadline }) => {
        const place = typeof path === 'string' ? path : '';
        ran.push(`${name} ${place}`);
        return run(name, place, deadline);
      },
    },
    { log: () => undefined },
    { append, ...repository },
    { logger: silentLogger },
  );
  const client = new ScriptedClient(script);
  const events: AgentEvent[] = [];
  const loop = new AgentLoop({ client, registry, proxy, model: 'fake', projectRoot: '/project', agentId: 'agent-1', ...options });
  const result = await loop.run(task, {
    signal: signal ?? new AbortController().signal,
    onEvent: async (event) => {
      events.push(event);
      await onEvent?.(event);
    },
  });
  return { result, events, records, ran, requests: client.requests };
}
