import { describeOffer, type RegisteredTool, type ToolExecutionContext } from '@devs/core';
import { ProtocolError, ProtocolErrorCode, type ListToolsResult } from '@modelcontextprotocol/server';
import type { RelayRequest } from '../../relay/relay-request.ts';
import type { CallGate } from './call-tool.ts';
import { readSessionContext } from '../../protocol/session-context.ts';
import { toWireTool } from '../../protocol/wire.ts';

/** The registry, as this handler needs it. */
export interface ToolCatalog {
  getTool(name: string): RegisteredTool | undefined;
  listToolsForContext(context: ToolExecutionContext): readonly RegisteredTool[];
}

export interface ListToolsDependencies {
  readonly registry: ToolCatalog;
  readonly proxy: Pick<CallGate, 'listed'>;
  readonly projectRoot: string;
  /** What the caller may see at all. Absent: everything. */
  readonly allows?: ((tool: RegisteredTool) => boolean) | undefined;
  /** Set where servers behind devs offer tools of theirs. */
  readonly relayed?: RelayRequest | undefined;
}

/** `tools/list`: what this caller is offered, always in the same order. */
export async function listTools(params: unknown, { registry, proxy, projectRoot, allows, relayed }: ListToolsDependencies): Promise<ListToolsResult> {
  const { context, refusal } = readSessionContext(params, projectRoot);
  if (refusal !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusal.sentence);
  await relayed?.client.instances.readyToList(relayed.signal);
  const instances = relayed?.client.instances;
  const offered = registry.listToolsForContext(context).filter((tool) => instances?.offers(tool) !== false && allows?.(tool) !== false);
  // Whichever server was there first: the same list must not come in another order the next time.
  const ordered = instances === undefined ? offered : offered.toSorted((one, other) => instances.positionOf(one) - instances.positionOf(other));
  return { tools: ordered.map((tool) => toWireTool(toShown(tool, offered, proxy))) };
}

function toShown(tool: RegisteredTool, offered: readonly RegisteredTool[], proxy: ListToolsDependencies['proxy']): RegisteredTool {
  return { ...tool, definition: describeOffer({ ...tool, definition: proxy.listed?.(tool) ?? tool.definition }, offered) };
}
