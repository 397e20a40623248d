import { expect, jest, test } from '@jest/globals';
import { ToolRegistry, type FsRoot, type InProcessHandler, type RegisteredTool, type SandboxRun, type ValidatedArgs } from '@devs/core';
import { ToolRunner, type FilesByTool } from '../tool-runner.ts';

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
  return { signal, callId: 'c', view, readMore, timeoutMs: 1_000, enforced: nothing, callable: [], callTool, bound: nothing, ...more };
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
  expect(folder.forTool.mock.calls).toEqual([[tool.settings]]);
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
