import { DEFAULT_CONFIG, OutputPolicy, ToolProxy, ToolRegistry, type AgentLogRecord, type SandboxExecutor, type ToolResult } from '@devs/core';
import { builtInTools } from '../built-in-tools.ts';
import { filesInMemory } from './files-in-memory.ts';

const CONTEXT = { projectRoot: '/', agentId: 'a', turnIndex: 0, phaseId: '', epicId: '' };

/** All tools behind the whole gate, over files in memory; boundaries always, so that triggers are redacted too. */
export class Scene {
  readonly files = new Map<string, Buffer>();
  /** All that left the gate, and all that was kept. */
  readonly seen: string[] = [];
  /** Of the last call: why it was refused. */
  code: string | null = null;
  readonly #proxy: ToolProxy;

  constructor() {
    const registry = new ToolRegistry();
    for (const tool of builtInTools) registry.register(tool);
    const files = filesInMemory(this.files);
    const execute: SandboxExecutor['execute'] = async (tool, args, _, run) => {
      if (tool.kind !== undefined && tool.kind !== 'in-process') throw new Error('There are only files in this scene.');
      return await tool.handler(args, { ...run, files });
    };
    const append = async (record: AgentLogRecord) => {
      this.seen.push(JSON.stringify(record));
      this.code = record.code;
      await Promise.resolve();
    };
    const outputPolicy = new OutputPolicy({ sanitize: { ...DEFAULT_CONFIG.sanitize, boundaries: 'always' } });
    const tap = { log: (event: unknown) => { this.seen.push(JSON.stringify(event)); } };
    this.#proxy = new ToolProxy(registry, { execute }, tap, { append }, { outputPolicy });
  }

  async call(toolName: string, args: object): Promise<ToolResult> {
    const result = await this.#proxy.execute({ toolName, args, context: CONTEXT });
    this.seen.push(JSON.stringify(result));
    return result;
  }

  /** What the agent reads: without the boundary around it. */
  async read(args: object): Promise<string> {
    return withoutBoundary(await this.call('read_file', args));
  }

  bytesOf(path: string): string {
    return this.files.get(path)?.toString('latin1') ?? '';
  }
}

function withoutBoundary({ content: [block] }: ToolResult): string {
  const text = block !== undefined && 'text' in block ? block.text : '';
  return text.replace(/^<external-content-[^>]*>\n/, '').replace(/\n<\/external-content-[^>]*>$/, '');
}
