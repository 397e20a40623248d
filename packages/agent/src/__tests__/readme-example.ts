import { AgentLoop, AnthropicClient } from '../index.ts';
import { silentLogger, ToolProxy, ToolRegistry } from '@devs/core';

const registry = new ToolRegistry();
const proxy = new ToolProxy(registry, { execute: async () => 'done' }, { log: () => undefined }, { append: async () => undefined }, { logger: silentLogger });

export async function work(task: string, api: { readonly apiKey: string; readonly baseUrl: string }) {
  const client = new AnthropicClient(api);
  const loop = new AgentLoop({ client, registry, proxy, model: 'claude-sonnet-5-5', projectRoot: '/project' });
  const seen: string[] = [];
  const result = await loop.run(task, { signal: AbortSignal.timeout(600_000), onEvent: ({ type }) => void seen.push(type) });
  return { result, seen };
}
