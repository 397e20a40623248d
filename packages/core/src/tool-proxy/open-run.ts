import { DevsError } from '../errors.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { Enforcement } from '../tool-registry/confinement.ts';
import type { ToolLookup } from '../tool-registry/ToolRegistry.ts';
import type { RegisteredTool } from '../tool-registry/types.ts';
import type { Call } from './call/call.ts';
import type { CallOutput } from './call-output.ts';
import type { UpstreamCall } from '../tool-registry/upstream-call.ts';
import type { SandboxRun, ToolCallRequest } from './call/types.ts';

export interface RunParts {
  readonly call: Call;
  readonly tool: RegisteredTool;
  readonly output: CallOutput;
  /** Milliseconds that the tool may take. */
  readonly toolTimeoutMs: number;
  readonly registry: ToolLookup;
  /** One call through the whole gate, its answer in no boundary. */
  readonly execute: (request: ToolCallRequest) => Promise<ToolResult>;
}

/** Milliseconds that the gate waits longer for tools that end their processes themselves: then what those said is not lost. */
const GRACE_MS = 5_000;

/** Made once: each call ends so, and a reason of its own is an error with a stack. */
const OVER = new DOMException('The call of which this was a part is over.', 'AbortError');

/** One tool at work: what it is handed, and what it has said of itself. */
export class OpenRun {
  readonly #parts: RunParts;
  readonly #over = new AbortController();
  /** What holds the call, once whatever runs it has said so. */
  enforcement: Enforcement | null = null;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Milliseconds after which the gate answers without the tool. */
  get deadlineMs(): number {
    return this.#timeoutMs + (keepsTime(this.#parts.tool) ? GRACE_MS : 0);
  }

  get #timeoutMs(): number {
    return this.#parts.toolTimeoutMs;
  }

  /** What the tool is handed. @param signal aborted at the deadline */
  hand(signal: AbortSignal): SandboxRun {
    const { call, output } = this.#parts;
    return {
      signal,
      callId: call.id,
      view: output.view.bind(output),
      readMore: output.readMore.bind(output),
      timeoutMs: this.#timeoutMs,
      enforced: this.#enforced,
      callable: this.#listCallable(),
      callTool: async (toolName, args, childSignal) => this.#callTool({ toolName, args, signal: AbortSignal.any([childSignal, signal, this.#over.signal]) }),
      bound: output.bound.bind(output),
      read: output.read.bind(output),
      upstream: this.#handOn(),
    };
  }

  readonly #enforced = ({ by, guarantees }: Enforcement): void => {
    this.enforcement = Object.freeze({ by, guarantees: Object.freeze([...guarantees]) });
  };

  #handOn(): UpstreamCall {
    const { id, passthrough } = this.#parts.call;
    const { session, continuation, meta, onNotice, wantsProgress = true } = passthrough;
    const notify = onNotice === undefined ? undefined : (notice: unknown) => this.#tell(notice);
    return { callId: id, session, continuation, meta, notify, wantsProgress, enforced: this.#enforced };
  }

  /** A word that comes when the call is over belongs to nobody. */
  #tell(notice: unknown): void {
    const { call, output } = this.#parts;
    const { onNotice } = call.passthrough;
    if (onNotice === undefined || this.#over.signal.aborted) return;
    const cleaned = output.cleanNotice(notice);
    if (cleaned === undefined) return;
    try {
      onNotice(cleaned);
    } catch {
      // Of the edge: a client that has gone must not look like a fault of the tool.
    }
  }

  /** The tool has given its answer, or nobody waits for it any more. What it has called ends with it, and it calls nothing more. */
  end(): void {
    this.#over.abort(OVER);
  }

  #listCallable(): readonly string[] {
    const { registry, tool, call } = this.#parts;
    if (tool.kind !== 'code') return [];
    const { admits = () => true } = call.passthrough;
    return (registry.listToolsForContext?.(call.context) ?? []).filter((other) => other.kind !== 'code' && admits(other)).map(({ name }) => name);
  }

  async #callTool({ toolName, args, signal }: Pick<ToolCallRequest, 'toolName' | 'args'> & { readonly signal: AbortSignal }): Promise<ToolResult> {
    const { call, output, registry, tool, execute } = this.#parts;
    if (signal.aborted) throw new DevsError('CALL_CANCELLED');
    // A tool of ours that has no business with it; what it may call it was not told either.
    if (tool.kind !== 'code') throw new DevsError('POLICY_DENIED');
    // Before it runs: what a child that was cut off has read may be told all the same.
    output.inherit(registry.getTool(toolName)?.labels ?? []);
    const { session, admits } = call.passthrough;
    const origin = { ...call.origin, parentCallId: call.id };
    return execute({ toolName, args, context: call.context, origin, signal, ...(session !== undefined && { session }), ...(admits !== undefined && { admits }) });
  }
}

/** Of these a process does the work, and is ended in time. */
function keepsTime({ kind }: RegisteredTool): boolean {
  return kind === 'command' || kind === 'repository' || kind === 'code';
}
