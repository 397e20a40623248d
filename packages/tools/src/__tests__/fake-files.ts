import { SchemaCompiler, type FsRoot, type RawToolOutput, type ToolOfKind, type ToolRegistration, type ValidatedArgs } from '@devs/core';
import { fakeView } from './fake-view.ts';

const refuse = async () => await Promise.reject(new Error('this test has no such file operation'));

function refuseMore(): never {
  throw new Error('this test keeps nothing');
}

/** A file root of which only the given operations work. */
export function fakeFiles(operations: Partial<FsRoot>): FsRoot {
  return {
    readFile: refuse,
    readLines: refuse,
    writeFile: refuse,
    editFile: refuse,
    listDirectory: refuse,
    searchFiles: refuse,
    ...operations,
  };
}

/** Checks the arguments against the tool's schema, as the gate does, and calls its handler. */
export async function callTool(tool: ToolOfKind<'in-process'>, args: unknown, operations: Partial<FsRoot>): Promise<string[]> {
  const { signal } = new AbortController();
  return textsOf(await tool.handler(argsFor(tool, args), { files: fakeFiles(operations), view: fakeView, readMore: refuseMore, signal }));
}

export function argsFor(tool: ToolRegistration, args: unknown): ValidatedArgs {
  const checked = new SchemaCompiler().compile(tool.definition.inputSchema).check(args);
  if ('refusal' in checked) throw new Error(`refused: ${JSON.stringify(checked.refusal.problems)}`);
  return checked.args;
}

function textsOf(output: RawToolOutput): string[] {
  if (typeof output === 'string') return [output];
  if (output instanceof Uint8Array) return [Buffer.from(output).toString()];
  return output.content.map(({ text = '', shown }) =>
    typeof text === 'string' ? text : Buffer.from(text).subarray(shown?.start, shown?.end).toString(),
  );
}
