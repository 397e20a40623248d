import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { container as globalContainer, type DependencyContainer } from 'tsyringe';
import { DEFAULT_OUTPUT_CONFIG, parseConfig, settingsFor } from '../config/schema.ts';
import * as tokens from '../container.ts';
import { silentLogger } from '../logging/structured-logger.ts';
import { OutputSanitizer } from '../protocol/output-sanitizer.ts';
import { describeBlock, type ToolResult } from '../protocol/tool-result.ts';
import { OutputPolicy } from '../sanitization/output-policy.ts';
import { ToolProxy } from '../tool-proxy/ToolProxy.ts';
import type { AgentLogRecord, SandboxExecutor } from '../tool-proxy/call/types.ts';
import { ToolRegistry } from '../tool-registry/ToolRegistry.ts';
import { answer, codeOf, describeTool, never, request } from '../tool-proxy/__tests__/scene.ts';
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

  it('keeps what was bound before, and overwrites nothing', () => {
    const container = tokens.createContainer();
    const sanitizer = { sanitize: String, isSafeForJSON: () => true };
    container.register(tokens.IOutputSanitizer, { useValue: sanitizer });
    tokens.registerCore(container, parseConfig({}));
    tokens.once(container, tokens.IOutputSanitizer, () => ({ ...sanitizer }));
    expect(container.resolve(tokens.IOutputSanitizer)).toBe(sanitizer);
  });

  it('makes parts of its own for a child container that replaces one, whoever asks first', async () => {
    const { container: parent } = createServer(parseConfig({}));
    const child = parent.createChildContainer();
    child.register(tokens.IOutputSanitizer, { useValue: { sanitize: () => 'of the child', isSafeForJSON: () => true } });
    const texts: (string | undefined)[] = [];
    for (const container of [child, parent]) {
      container.register(tokens.StructuredLogger, { useValue: silentLogger });
      container.resolve(tokens.ToolRegistry).register(describeTool());
      texts.push(firstText(await container.resolve(tokens.ToolProxy).execute(request())));
    }
    expect(texts).toEqual(['of the child', 'x'.repeat(100)]);
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

describe('each token of the container', () => {
  const config = (changes: object) => parseConfig(changes);
  const text = (said: string): SandboxExecutor => ({ execute: async () => answer(said) });
  class Echo extends ToolProxy {
    override async execute(): Promise<ToolResult> {
      return await Promise.resolve({ content: [{ type: 'text', text: 'another gate' }] });
    }
  }

  it.each<[string, (container: DependencyContainer, seen: string[]) => void, string]>([
    ['DevsCoreConfig', (c) => c.register(tokens.DevsCoreConfig, { useValue: config({ mcp: { maxToolOutputBytes: 1_000 }, tools: { read_file: { output: { maxSizeBytes: 11 } } } }) }), '[truncated]'],
    ['StructuredLogger', (c, seen) => c.register(tokens.StructuredLogger, { useValue: { ...silentLogger, warn: (event) => void seen.push(event) } }), 'hello Aurora OUTPUT_NOT_SAFE_FOR_JSON'],
    ['IOutputSanitizer', (c) => c.register(tokens.IOutputSanitizer, { useValue: { sanitize: () => 'mine', isSafeForJSON: () => true } }), 'mine'],
    ['OutputPolicy', (c) => c.register(tokens.OutputPolicy, { useValue: new OutputPolicy({ sanitize: config({}).sanitize, injectedSecrets: ['hello Aurora'] }) }), '[REDACTED:secret:injected]'],
    ['ToolRegistry', (c) => c.register(tokens.ToolRegistry, { useValue: new ToolRegistry({ settingsFor: () => ({ ...settingsFor(config({}), ''), output: { ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes: 11 } }) }) }), '[truncated]'],
    ['SandboxExecutor', (c) => c.register(tokens.SandboxExecutor, { useValue: text('from another place') }), 'from another place'],
    ['AuditLogger', (c, seen) => c.register(tokens.AuditLogger, { useValue: { log: ({ event }) => void seen.push(event) } }), 'hello Aurora TOOL_EXECUTED'],
    ['AgentLogRepository', (c) => c.register(tokens.AgentLogRepository, { useValue: { begin: () => Promise.reject(new Error('full')), append: () => Promise.reject(new Error('full')) } }), 'AUDIT_UNAVAILABLE'],
    ['ToolProxy', (c) => tokens.once(c, tokens.ToolProxy, (inner) => new Echo(inner.resolve(tokens.ToolRegistry), text(''), { log: () => undefined }, { append: async () => undefined })), 'another gate'],
  ])('%s is used when it is bound before the core registers its own', async (name, bind, expected) => {
    const container = tokens.createContainer();
    const seen: string[] = [];
    bind(container, seen);
    tokens.registerCore(container, config({}));
    tokens.once(container, tokens.StructuredLogger, () => silentLogger);
    tokens.once(container, tokens.SandboxExecutor, () => text('hello Aurora'));
    tokens.once(container, tokens.AuditLogger, () => ({ log: () => undefined }));
    tokens.once(container, tokens.AgentLogRepository, () => ({ append: async () => undefined }));
    if (name === 'StructuredLogger') container.register(tokens.IOutputSanitizer, { useValue: { sanitize: String, isSafeForJSON: () => false } });
    container.resolve(tokens.ToolRegistry).register(describeTool());
    const result = await container.resolve(tokens.ToolProxy).execute(request());
    const code = codeOf(result);
    const answered = typeof code === 'string' ? code : result.content.map(describeBlock).join('');
    const said = [answered, ...seen].join(' ');
    expect(said).toBe(expected);
    expect(said).not.toBe('hello Aurora');
  });

  it('is in that table', () => {
    const symbols = Object.values(tokens).filter((value) => typeof value === 'symbol');
    expect(symbols).toHaveLength(9);
  });
});
