import { DevsError, isRecord, type Origin, type RegisteredTool, type ToolCallRequest, type ToolDefinition, type ToolResult } from '@devs/core';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Agent } from '../../protocol/agent-names.ts';
import { readSessionContext } from '../../protocol/session-context.ts';
import { toCallToolResult } from '../../protocol/wire.ts';

/** The gate, as this handler needs it. */
export interface CallGate {
  /** What a model has to know to read the answers. */
  readonly instructions?: string;
  /** A tool as a list shows it. Absent: as it is defined. */
  listed?(tool: RegisteredTool): ToolDefinition;
  execute(request: ToolCallRequest): Promise<ToolResult>;
  refuse(request: ToolCallRequest, cause: DevsError): Promise<ToolResult>;
}

export interface CallToolDependencies {
  readonly proxy: CallGate;
  readonly projectRoot: string;
  readonly origin: Origin;
  /** Who calls, where the caller claims nothing. Absent: nobody in particular. */
  readonly agent?: Agent | undefined;
  /** Set when the server takes no calls: the call is refused for this reason, and recorded. */
  readonly refusal?: DevsError | undefined;
  /** What the caller may see at all. Absent: everything. */
  readonly admits?: ToolCallRequest['admits'];
  /** What goes on to a server behind devs. */
  readonly onward?: Pick<ToolCallRequest, 'session' | 'admits' | 'continuation' | 'meta' | 'onNotice' | 'wantsProgress'>;
}

/**
 * `tools/call`, from the raw parameters: whatever their shape, the call goes through the gate, so
 * that it is in the log. Never throws; what is wrong with a call is told as its result.
 */
export async function callTool(
  params: unknown,
  signal: AbortSignal,
  dependencies: CallToolDependencies,
): Promise<CallToolResult> {
  return toCallToolResult(await executeCall(params, signal, dependencies));
}

/** The same, the result as the gate gives it. */
export async function executeCall(
  params: unknown,
  signal: AbortSignal,
  { proxy, projectRoot, origin: from, agent, refusal, admits, onward }: CallToolDependencies,
): Promise<ToolResult> {
  const session = readSessionContext(params, projectRoot, agent);
  const { context, agentSource } = session;
  const origin = agentSource === undefined ? from : { ...from, agentSource };
  const { name, args } = readCall(params);
  const request = { toolName: name ?? '', args, context, origin, signal, ...onward, admits: (tool: RegisteredTool) => tool.isOperation !== true && (onward?.admits ?? admits)?.(tool) !== false };
  const turnedAway = refusal ?? session.refusal;
  if (turnedAway !== undefined) return proxy.refuse(request, turnedAway);
  if (name === undefined) return proxy.refuse(request, nameMissing());
  return proxy.execute(request);
}

function nameMissing(): DevsError {
  return new DevsError('UNKNOWN_TOOL', { sentence: 'ACCESS_DENIED: the call names no tool; "name" must be a string.' });
}

function readCall(params: unknown): { readonly name?: string; readonly args: unknown } {
  if (!isRecord(params)) return { args: params };
  const { name, arguments: args } = params;
  // MCP lets a caller leave the arguments out. `null` is not leaving out.
  const given = args === undefined ? {} : args;
  return typeof name === 'string' ? { name, args: given } : { args: given };
}
