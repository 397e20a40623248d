import { expect, jest, test } from '@jest/globals';
import {
  ToolRegistry,
  type Enforcement,
  type FsRoot,
  type InProcessHandler,
  type RegisteredTool,
  type SandboxRun,
  type ToolKind,
  type ToolRegistration,
  type ValidatedArgs,
} from '@devs/core';
import { ToolRunner, type ConfinedWork, type FilesByTool } from '../tool-runner.ts';

const refuse = async () => await Promise.reject(new Error('not reached'));
const files: FsRoot = {
  readFile: refuse,
  readLines: refuse,
  writeFile: refuse,
  editFile: refuse,
  listDirectory: refuse,
  searchFiles: refuse,
};
/** One view for every tool, and what was asked for. */
const folder = { forTool: jest.fn<FilesByTool['forTool']>(() => files) };
/** The gate's, handed on as they are. */
const view = jest.fn<SandboxRun['view']>();
const readMore = jest.fn<SandboxRun['readMore']>();
const context = { projectRoot: '/claimed/by/the/caller', agentId: 'a', turnIndex: 0, phaseId: '', epicId: '' };

function toolOf(handler: InProcessHandler): RegisteredTool {
  const definition = { name: 'probe', description: '', inputSchema: { type: 'object', properties: {}, additionalProperties: false } };
  return new ToolRegistry().register({ definition, handler, effects: false, labels: [], source: 'built-in' });
}

function argsFor(tool: RegisteredTool): ValidatedArgs {
  const checked = tool.schema.check({});
  if ('refusal' in checked) throw new Error('refused');
  return checked.args;
}

function runOf(signal: AbortSignal, more: Partial<SandboxRun> = {}): SandboxRun {
  const nothing = () => undefined;
  const callTool = async () => await Promise.reject(new Error('no tool is called here'));
  const upstream = { callId: 'c', session: undefined, continuation: undefined, meta: undefined, notify: nothing, wantsProgress: true, enforced: nothing };
  return { signal, callId: 'c', view, readMore, timeoutMs: 1_000, enforced: nothing, callable: [], callTool, bound: nothing, read: nothing, upstream, ...more };
}

test('a tool gets its arguments, the files that its settings leave it and the signal, and nothing else', async () => {
  const handler = jest.fn<InProcessHandler>(async () => await Promise.resolve('done'));
  const tool = toolOf(handler);
  const args = argsFor(tool);
  const { signal } = new AbortController();
  expect(await new ToolRunner(folder).execute(tool, args, context, runOf(signal))).toBe('done');
  const [given, capabilities] = handler.mock.calls[0] ?? [];
  expect(given).toBe(args);
  expect(Object.keys(capabilities ?? {})).toEqual(['files', 'view', 'readMore', 'signal']);
  expect(capabilities?.files).toBe(files);
  expect(folder.forTool.mock.calls).toEqual([[tool.settings, expect.any(Function)]]);
  expect(capabilities).toMatchObject({ view, readMore, signal });
  expect(Object.isFrozen(capabilities)).toBe(true);
});

test('a call that is already cancelled does not start', async () => {
  const handler = jest.fn<InProcessHandler>(async () => await Promise.resolve('done'));
  const tool = toolOf(handler);
  const run = runOf(AbortSignal.abort(new Error('gone')));
  await expect(new ToolRunner(folder).execute(tool, argsFor(tool), context, run)).rejects.toThrow('gone');
  expect(handler).not.toHaveBeenCalled();
});

test('what a tool throws passes as it is', async () => {
  const tool = toolOf(async () => await Promise.reject(new Error('broken')));
  const run = runOf(new AbortController().signal);
  await expect(new ToolRunner(folder).execute(tool, argsFor(tool), context, run)).rejects.toThrow('broken');
});

const nothing: Enforcement = { by: 'none', guarantees: [] };
const byCapabilities: Enforcement = { by: 'capabilities', guarantees: [] };

/** A tool of any kind that shows what it was handed. */
function toolOfKind(kind: ToolKind | 'made-up'): { readonly tool: RegisteredTool; readonly handed: () => object } {
  let handed: object = {};
  const handler = async (_args: ValidatedArgs, capabilities: object) => {
    handed = capabilities;
    return await Promise.resolve('done');
  };
  const definition = { name: 'probe', description: '', inputSchema: { type: 'object', properties: {}, additionalProperties: false } };
  const registration = { definition, kind, handler, effects: true, labels: [], source: 'built-in' };
  // As JavaScript registers it: no type says that this kind has such a handler.
  const tool = new ToolRegistry().register(registration as unknown as ToolRegistration);
  return { tool, handed: () => handed };
}

const work: ConfinedWork = {
  commands: () => ({ run: async () => await Promise.reject(new Error('not run here')) }),
  repository: () => ({ commit: async () => await Promise.reject(new Error('not run here')) }),
  egress: () => ({ fetch: async () => await Promise.reject(new Error('not run here')) }),
  code: () => ({ run: async () => await Promise.reject(new Error('not run here')) }),
};

test.each<[ToolKind, readonly string[], Enforcement | undefined]>([
  ['in-process', ['files', 'readMore', 'signal', 'view'], byCapabilities],
  ['command', ['commands', 'signal'], undefined],
  ['repository', ['repository', 'signal'], undefined],
  ['network', ['egress', 'signal'], byCapabilities],
  ['code', ['bound', 'callTool', 'code', 'signal', 'tools'], undefined],
  ['upstream', ['callId', 'continuation', 'enforced', 'meta', 'notify', 'session', 'signal', 'wantsProgress'], nothing],
])('a tool of the kind %s is handed %j, and is held by %j before it begins', async (kind, capabilities, enforcement) => {
  const { tool, handed } = toolOfKind(kind);
  const told: Enforcement[] = [];
  const run = runOf(new AbortController().signal, { enforced: (held) => told.push(held) });
  expect(await new ToolRunner(folder, work).execute(tool, argsFor(tool), context, run)).toBe('done');
  expect(Object.keys(handed()).toSorted()).toEqual(capabilities);
  expect(Object.isFrozen(handed())).toBe(true);
  // Of the others whoever does their work says it, once it knows.
  expect(told).toEqual(enforcement === undefined ? [] : [enforcement]);
});

test.each<[string, ToolKind | 'made-up', ConfinedWork | undefined]>([
  ['whose work nobody here does', 'command', undefined],
  ['of code that nobody here runs', 'code', undefined],
  ['of a kind that nobody knows', 'made-up', work],
])('a tool %s is refused', async (_, kind, given) => {
  const { tool, handed } = toolOfKind(kind);
  const running = new ToolRunner(folder, given).execute(tool, argsFor(tool), context, runOf(new AbortController().signal));
  await expect(running).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  expect(handed()).toEqual({});
});

test.each<[ToolKind | undefined, boolean, 'read' | 'write']>([
  [undefined, true, 'write'],
  [undefined, false, 'read'],
  ['command', true, 'read'],
  ['repository', true, 'read'],
])('the paths of a tool of kind %s, with effects: %s, are judged by their spelling, to %s', (kind, effects, access) => {
  const refuseSpelling = jest.fn<NonNullable<FilesByTool['refuseSpelling']>>((path) => {
    if (path === 'bad') throw new Error('refused');
  });
  const tool = { ...toolOf(refuse), effects, ...(kind !== undefined && { kind }) } as RegisteredTool;
  const runner = new ToolRunner({ ...folder, refuseSpelling });
  expect(() => runner.refusePaths(tool, ['good', 'bad', 'never looked at'])).toThrow('refused');
  expect(refuseSpelling.mock.calls).toEqual([['good', tool.settings, access], ['bad', tool.settings, access]]);
  expect(() => new ToolRunner(folder).refusePaths(tool, ['bad'])).not.toThrow();
});
