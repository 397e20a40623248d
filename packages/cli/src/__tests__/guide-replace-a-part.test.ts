import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ToolExecutionContext, ToolResult } from '@devs/core';
import { OutputPolicy, parseConfig, silentLogger, ToolRegistry, type AgentLogRecord } from '@devs/core';
import * as core from '@devs/core/container';
import { OrchestratorServer } from '@devs/mcp/container';
import { compose, type Composition } from '../compose.ts';
import { locateState } from '../state/state-folder.ts';
import { readGuide } from './guide-page.ts';

const PACKAGE = path.resolve(__dirname, '..', '..');

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'devs-replace-'));
  await writeFile(path.join(root, 'notes.txt'), 'Aurora ships on Monday.\n');
});
afterAll(async () => rm(root, { recursive: true, force: true }));

/** A program of the page, and what the page says that it prints. */
async function readProgram(index: number): Promise<readonly [string, string]> {
  const programs = [...(await readGuide('replace-a-part.md')).matchAll(/^```js\n(.*?)^```$.*?^```text\n(.*?)^```$/gms)];
  expect(programs).toHaveLength(2);
  const [, code = '', output = ''] = programs[index] ?? [];
  return [code, output];
}

it.each([0, 1])('docs/guide/replace-a-part.md, program %i prints what the page says', async (index) => {
  const [code, output] = await readProgram(index);
  const state = await mkdtemp(path.join(os.tmpdir(), 'devs-replace-state-'));
  try {
    const env = { ...process.env, DEVS_STATE_DIR: path.join(state, 'own') };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, 'program', root], { cwd: PACKAGE, env });
    expect(stdout.trimEnd()).toBe(output.trimEnd());
  } finally {
    await rm(state, { recursive: true, force: true });
  }
});

describe('compose({ register })', () => {
  const context: ToolExecutionContext = { projectRoot: '/', agentId: 'embedder', turnIndex: 0, phaseId: '', epicId: '' };
  const says = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

  /** What one read of the file gives, and which parts the log says are replaced. */
  async function read(register?: (container: core.DependencyContainer) => void, look: (devs: Composition) => unknown = () => undefined) {
    const place = await mkdtemp(path.join(os.tmpdir(), 'devs-replace-state-'));
    const state = locateState(root, { DEVS_STATE_DIR: path.join(place, 'own') });
    try {
      const devs = await compose({ root, state, checkServer: undefined, config: parseConfig({ audit: { durability: 'process' } }), ...(register !== undefined && { register }) });
      const result = await devs.proxy.execute({ toolName: 'read_file', args: { path: 'notes.txt' }, context });
      const seen = look(devs);
      await devs[Symbol.asyncDispose]();
      return { text: result.content.map((block) => ('text' in block ? block.text : '')).join(''), isError: result.isError === true, seen, log: await readFile(state.logFile, 'latin1') };
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  }

  const records: AgentLogRecord[] = [];
  const lines: string[] = [];
  it.each<[string, (container: core.DependencyContainer) => void, (devs: Composition) => unknown]>([
    ['DevsCoreConfig', (c) => c.register(core.DevsCoreConfig, { useValue: parseConfig({ tools: { read_file: { output: { maxSizeBytes: 11 } } } }) }), ({ config }) => config.tools],
    ['StructuredLogger', (c) => c.register(core.StructuredLogger, { useValue: { ...silentLogger, info: (event) => void lines.push(event) } }), () => lines.join(' ')],
    ['IOutputSanitizer', (c) => c.register(core.IOutputSanitizer, { useValue: { sanitize: (raw) => raw.toString().replace('Aurora', '[project]'), isSafeForJSON: () => true } }), () => undefined],
    ['OutputPolicy', (c) => c.register(core.OutputPolicy, { useValue: new OutputPolicy({ sanitize: parseConfig({}).sanitize, injectedSecrets: ['Aurora ships'] }) }), () => undefined],
    ['ToolRegistry', (c) => c.register(core.ToolRegistry, { useValue: Object.assign(new ToolRegistry(), { getTool: () => undefined }) }), () => undefined],
    ['SandboxExecutor', (c) => c.register(core.SandboxExecutor, { useValue: { execute: async () => 'elsewhere' } }), () => undefined],
    ['AuditLogger', (c) => c.register(core.AuditLogger, { useValue: { log: ({ event }) => void lines.push(event) } }), () => lines.join(' ')],
    ['AgentLogRepository', (c) => c.register(core.AgentLogRepository, { useValue: { append: async (record) => void records.push(record) } }), () => records.length],
    ['ToolProxy', (c) => c.register(core.ToolProxy, { useValue: Object.assign(Object.create(null), { execute: async () => says('another gate') }) }), () => undefined],
    ['OrchestratorServer', (c) => c.register(OrchestratorServer, { useValue: Object.assign(Object.create(null), { inFlight: 7 }) }), ({ server }) => server.inFlight],
  ])('%s: an answer changes, and the log names the part', async (name, register, look) => {
    records.length = 0;
    lines.length = 0;
    const plain = await read(undefined, look);
    const replaced = await read(register, look);
    expect(plain).toMatchObject({ text: 'Aurora ships on Monday.\n', isError: false });
    expect([replaced.text, replaced.seen]).not.toEqual([plain.text, plain.seen]);
    expect(plain.log).not.toContain('"replaced"');
    // Also of a part that keeps the calls out of this log.
    expect(replaced.log).toContain(`"replaced":["${name}"]`);
  });

  it('is refused with a sanitizer that lacks a method, and leaves nothing open', async () => {
    const register = (container: core.DependencyContainer) => void container.register(core.IOutputSanitizer, { useValue: { sanitize: String } as never });
    await expect(read(register)).rejects.toThrow('The output sanitizer has no method isSafeForJSON');
  });
});
