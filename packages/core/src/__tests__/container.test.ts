import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { container as globalContainer } from 'tsyringe';
import { parseConfig } from '../config/schema.ts';
import * as tokens from '../container.ts';
import { silentLogger } from '../logging/structured-logger.ts';
import { OutputSanitizer } from '../protocol/output-sanitizer.ts';
import { ToolProxy } from '../tool-proxy/ToolProxy.ts';
import type { AgentLogRecord } from '../tool-proxy/types.ts';
import { answer, describeTool, never, request } from '../tool-proxy/__tests__/scene.ts';
import { firstText } from '../protocol/__tests__/first-text.ts';

function createServer(config = parseConfig({ mcp: { maxToolOutputBytes: 60 }, limits: { toolTimeoutMs: 1 } })) {
  const container = tokens.createContainer();
  tokens.registerCore(container, config);
  const records: AgentLogRecord[] = [];
  container.register(tokens.SandboxExecutor, { useValue: { execute: async () => answer('x'.repeat(100)) } });
  container.register(tokens.AuditLogger, { useValue: { log: () => undefined } });
  container.register(tokens.AgentLogRepository, { useValue: { append: async (record) => void records.push(record) } });
  return { container, records };
}

describe('the container', () => {
  it('gives the sanitizer as a singleton, under the token IOutputSanitizer, with its configured limit', () => {
    const { container } = createServer();
    const sanitizer = container.resolve(tokens.IOutputSanitizer);
    expect(sanitizer).toBeInstanceOf(OutputSanitizer);
    expect(sanitizer).toBe(container.resolve(tokens.IOutputSanitizer));
    expect(sanitizer.maxBytes).toBe(60);
  });

  it('gives a gate that is wired: registry, sanitizer, limits, log', async () => {
    const { container, records } = createServer();
    container.register(tokens.StructuredLogger, { useValue: silentLogger });
    container.resolve(tokens.ToolRegistry).register(describeTool());
    const proxy = container.resolve(tokens.ToolProxy);
    expect(proxy).toBeInstanceOf(ToolProxy);
    expect(proxy).toBe(container.resolve(tokens.ToolProxy));
    const { content } = await proxy.execute(request());
    expect(Buffer.byteLength(firstText({ content }) ?? '')).toBe(60);
    expect(records).toHaveLength(1);
  });

  it('passes the configured deadline to the gate', async () => {
    const { container, records } = createServer();
    container.register(tokens.StructuredLogger, { useValue: silentLogger });
    container.register(tokens.SandboxExecutor, { useValue: { execute: () => never<string>() } });
    container.resolve(tokens.ToolRegistry).register(describeTool());
    await container.resolve(tokens.ToolProxy).execute(request());
    expect(records[0]?.code).toBe('TOOL_TIMEOUT');
  });

  it('makes nothing before it is asked for, and each thing once', () => {
    const container = tokens.createContainer();
    const made: string[] = [];
    const Part = Symbol('Part');
    tokens.once(container, Part, () => {
      made.push('part');
      return undefined;
    });
    expect(made).toEqual([]);
    container.resolve(Part);
    container.resolve(Part);
    expect(made).toEqual(['part']);
  });

  it('shares nothing with another server’s', () => {
    const [one, other] = [createServer().container, createServer().container];
    const parts = [tokens.IOutputSanitizer, tokens.ToolRegistry, tokens.StructuredLogger, tokens.ToolProxy] as const;
    for (const part of parts) expect(one.resolve<unknown>(part)).not.toBe(other.resolve<unknown>(part));
    one.resolve(tokens.ToolRegistry).register(describeTool());
    expect(other.resolve(tokens.ToolRegistry).getToolNames()).toEqual([]);
  });

  it('leaves the global container alone', () => {
    createServer();
    for (const token of Object.values(tokens).filter((value) => typeof value === 'symbol')) {
      expect(globalContainer.isRegistered(token)).toBe(false);
    }
  });

  it('names each token as its interface', () => {
    const symbols = Object.entries(tokens).filter(([, value]) => typeof value === 'symbol');
    expect(symbols.map(([name, value]) => [name, typeof value === 'symbol' ? value.description : ''])).toEqual(symbols.map(([name]) => [name, name]));
    expect(symbols.map(([name]) => name).sort()).toEqual([
      'AgentLogRepository', 'AuditLogger', 'DevsCoreConfig', 'IOutputSanitizer', 'OutputPolicy', 'SandboxExecutor', 'StructuredLogger',
      'ToolProxy', 'ToolRegistry',
    ]);
  });
});
