import { DevsError, isRecord, type JsonObject, type RawContent, type RawToolResult, type ToolLabel, type ToolHandler, type ToolRegistration } from '@devs/core';
import { toRawResult } from './raw-result.ts';

/** An MCP request that goes through the same pipeline as a tool call. */
export interface Operation {
  readonly method: 'resources/read' | 'prompts/get' | 'completion/complete';
  /** The answer as a result that the gate can clean. Throws `UPSTREAM_ANSWER_REFUSED` for what is none. */
  readonly toRaw: (result: unknown) => RawToolResult;
}

const OPERATIONS: readonly (Operation & { readonly inputSchema: JsonObject })[] = [
  {
    method: 'resources/read',
    toRaw: readContents,
    inputSchema: closed({ uri: { type: 'string', minLength: 1, maxLength: 8_192 } }, ['uri']),
  },
  {
    method: 'prompts/get',
    toRaw: readPrompt,
    inputSchema: closed({ name: { type: 'string', maxLength: 8_192 }, arguments: { type: 'object', additionalProperties: { type: 'string' } } }, ['name']),
  },
  {
    method: 'completion/complete',
    toRaw: readCompletion,
    inputSchema: closed(
      {
        ref: { type: 'object' },
        argument: closed({ name: { type: 'string' }, value: { type: 'string' } }, ['name', 'value']),
        context: { type: 'object' },
      },
      ['ref', 'argument'],
    ),
  },
];

export interface OperationsOptions {
  readonly entry: string;
  readonly labels: readonly ToolLabel[];
  readonly timeoutMs?: number;
  readonly createHandler: (operation: Operation) => ToolHandler<'upstream'>;
}

/** What a server is asked beside its tools, to be registered as `<server>/<method>`. */
export function createOperations({ entry, labels, timeoutMs, createHandler }: OperationsOptions): readonly ToolRegistration[] {
  return OPERATIONS.map(({ inputSchema, ...operation }) => ({
    definition: { name: nameOf(entry, operation), inputSchema },
    isOperation: true,
    kind: 'upstream',
    handler: createHandler(operation),
    effects: true,
    labels,
    source: entry,
    ...(timeoutMs !== undefined && { timeoutMs }),
  }));
}

/** Under which names those of a server are registered. */
export function operationNames(entry: string): readonly string[] {
  return OPERATIONS.map((operation) => nameOf(entry, operation));
}

function nameOf(entry: string, { method }: Pick<Operation, 'method'>): string {
  return `${entry}/${method}`;
}

/** What a tool answers. */
export const toolAnswer = toRawResult;

function readContents(result: unknown): RawToolResult {
  const { contents, _meta } = isRecord(result) ? result : {};
  if (!Array.isArray(contents)) throw refused('an answer without contents');
  return { content: contents.map((resource: unknown) => ({ type: 'resource', resource })), ...(_meta !== undefined && { _meta }) };
}

function readPrompt(result: unknown): RawToolResult {
  const { messages, description, _meta } = isRecord(result) ? result : {};
  if (!Array.isArray(messages)) throw refused('an answer without messages');
  return {
    content: messages.flatMap(readMessage),
    ...(typeof description === 'string' && { structuredContent: { description } }),
    ...(_meta !== undefined && { _meta }),
  };
}

function readMessage(message: unknown): readonly RawContent[] {
  const { role, content } = isRecord(message) ? message : {};
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map((block) => {
    if (!isRecord(block) || typeof block['type'] !== 'string') throw refused('a message that is none');
    return { ...block, type: block['type'], role };
  });
}

function readCompletion(result: unknown): RawToolResult {
  const { completion, _meta } = isRecord(result) ? result : {};
  if (!isRecord(completion) || !Array.isArray(completion['values'])) throw refused('an answer without values');
  const { values, total, hasMore } = completion;
  const structuredContent = { values, ...(total !== undefined && { total }), ...(hasMore !== undefined && { hasMore }) };
  return { content: [], structuredContent, ...(_meta !== undefined && { _meta }) };
}

function closed(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

function refused(problem: string): DevsError {
  return new DevsError('UPSTREAM_ANSWER_REFUSED', { cause: new Error(problem) });
}
