import { describeOffer, type AvailableTool, type RegisteredTool, type ToolExecutionContext } from '@devs/core';
import type { OfferedTool } from './llm-client.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** What the Messages API takes for the name of a tool; devs allows dots too. */
const SENDABLE_NAME = /^[A-Za-z0-9_-]{1,128}$/;

export interface ToolOffer {
  readonly offered: readonly OfferedTool[];
  /** The same tools by name, for `validateLLMResponse`. */
  readonly available: ReadonlyMap<string, AvailableTool>;
  /** The tools themselves: the ones that may run, whatever else is registered by then. */
  readonly registered: ReadonlyMap<string, RegisteredTool>;
  /** Names of tools that the API cannot take. */
  readonly leftOut: readonly string[];
}

/** The tools that this context may use, in the form of the Messages API. */
export function offerTools(registry: ToolCatalog, context: ToolExecutionContext): ToolOffer {
  const tools = registry.listToolsForContext(context);
  const sendable = tools.filter(isSendable);
  return {
    offered: sendable.map((tool) => toOffered(tool, tools)),
    available: new Map(sendable.map((tool) => [tool.name, toAvailable(tool)])),
    registered: new Map(sendable.map((tool) => [tool.name, tool])),
    leftOut: tools.filter((tool) => !isSendable(tool)).map(({ name }) => name),
  };
}

function toOffered(tool: RegisteredTool, tools: readonly RegisteredTool[]): OfferedTool {
  const { name, description = tool.definition.title ?? name, inputSchema } = describeOffer(tool, tools);
  return { name, description, input_schema: inputSchema };
}

/** The API takes schemas of objects alone. */
function isSendable({ name, definition }: RegisteredTool): boolean {
  return SENDABLE_NAME.test(name) && definition.inputSchema['type'] === 'object';
}

function toAvailable({ definition, settings }: RegisteredTool): AvailableTool {
  return { inputSchema: definition.inputSchema, mode: settings.validation.mode };
}
