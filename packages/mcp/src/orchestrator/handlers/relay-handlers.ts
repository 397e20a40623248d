import { ANONYMOUS, DevsError, isRecord, LOG_LEVELS, type Continuation, type Json, type JsonObject, type ToolCallRequest, type ToolResult } from '@devs/core';
import { ProtocolError, ProtocolErrorCode, type Result } from '@modelcontextprotocol/server';
import type { Agent } from '../../protocol/agent-names.ts';
import { readSessionContext } from '../../protocol/session-context.ts';
import { toFailure } from '../../relay/protocol-failure.ts';
import type { ListKind, Routed } from '../../relay/ports.ts';
import type { RelayRequest } from '../../relay/relay-request.ts';
import { answerRounds, type QuestionResult } from '../../relay/rounds.ts';
import { toCompleteResult, toPromptResult, toReadResult } from '../../relay/wire-results.ts';
import type { CallGate } from './call-tool.ts';
import type { ToolCatalog } from './list-tools.ts';

export interface RelayHandlersOptions {
  readonly proxy: CallGate;
  readonly registry: Pick<ToolCatalog, 'getTool'>;
  readonly projectRoot: string;
}

/** Who may ask for what is listed may see the list. */
const OPERATION_OF: Readonly<Record<ListKind, string>> = { resources: 'resources/read', templates: 'resources/read', prompts: 'prompts/get' };

type Handler = (request: RelayRequest) => Promise<Result>;

/** Everything but tools that a client can ask of the servers behind devs. Each request that returns content goes through the same pipeline as a tool call. */
export class RelayHandlers {
  readonly #options: RelayHandlersOptions;
  readonly #handlers: ReadonlyMap<string, Handler>;

  constructor(options: RelayHandlersOptions) {
    this.#options = options;
    this.#handlers = new Map<string, Handler>([
      ['resources/list', async (request) => this.#list('resources', 'resources', request)],
      ['resources/templates/list', async (request) => this.#list('templates', 'resourceTemplates', request)],
      ['prompts/list', async (request) => this.#list('prompts', 'prompts', request)],
      ['resources/read', async (request) => this.#read(request)],
      ['prompts/get', async (request) => this.#getPrompt(request)],
      ['completion/complete', async (request) => this.#complete(request)],
      ['resources/subscribe', async (request) => this.#watch(request, 'watch')],
      ['resources/unsubscribe', async (request) => this.#watch(request, 'unwatch')],
      ['logging/setLevel', async (request) => this.#setLevel(request)],
    ]);
  }

  serves(method: string): boolean {
    return this.#handlers.has(method);
  }

  async handle(method: string, request: RelayRequest): Promise<Result> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    return handler(request);
  }

  async #list(kind: ListKind, member: string, { client, params, signal, admits }: RelayRequest): Promise<Result> {
    const { cursor } = params;
    if (cursor !== undefined && typeof cursor !== 'string') throw invalid('"cursor" must be a string.');
    await client.instances.readyToList(signal);
    const mayAsk = (server: string) => this.#mayAsk(`${server}/${OPERATION_OF[kind]}`, admits);
    const { items, nextCursor } = await client.instances.list(kind, { cursor, admits: mayAsk }, signal);
    return { [member]: [...items], ...(nextCursor !== undefined && { nextCursor }) };
  }

  async #read(request: RelayRequest): Promise<Result> {
    const uri = textIn(request.params, 'uri');
    await request.client.instances.ready(request.signal);
    const routed = await request.client.instances.routeUri(uri, request.signal);
    const result = await this.#call(request, { routed, method: 'resources/read', args: { uri }, missing: 'RESOURCE_NOT_FOUND' });
    return toWire(result, { uri }, (read) => toReadResult(read, uri));
  }

  async #getPrompt(request: RelayRequest): Promise<Result> {
    const name = textIn(request.params, 'name');
    const { arguments: given = {} } = request.params;
    await request.client.instances.ready(request.signal);
    const routed = await request.client.instances.routePrompt(name, request.signal);
    const args = { name: routed?.ownName ?? name, arguments: given };
    const result = await this.#call(request, { routed, method: 'prompts/get', args, missing: 'PROMPT_NOT_FOUND' });
    return toWire(result, { name }, toPromptResult);
  }

  async #complete(request: RelayRequest): Promise<Result> {
    const { ref, argument, context } = request.params;
    const { instances } = request.client;
    await instances.ready(request.signal);
    const isPrompt = isRecord(ref) && ref['type'] === 'ref/prompt';
    const named = isRecord(ref) ? (isPrompt ? ref['name'] : ref['uri']) : undefined;
    if (typeof named !== 'string' || !isRecord(argument)) throw invalid('"ref" must name a prompt or a resource, and "argument" the one to complete.');
    const routed = isPrompt ? await instances.routePrompt(named, request.signal) : await instances.routeUri(named, request.signal);
    const reference = isPrompt ? { type: 'ref/prompt', name: routed?.ownName ?? named } : { type: 'ref/resource', uri: named };
    const args = { ref: reference, argument: argument as JsonObject, ...(isRecord(context) && { context: context as JsonObject }) };
    const result = await this.#call(request, { routed, method: 'completion/complete', args, missing: isPrompt ? 'PROMPT_NOT_FOUND' : 'RESOURCE_NOT_FOUND' });
    return toWire(result, {}, toCompleteResult);
  }

  /** False for a URI of no server, and of one whose resources the caller may not read. */
  async mayRead(uri: string, { client, signal, admits }: Pick<RelayRequest, 'client' | 'signal' | 'admits'>): Promise<boolean> {
    await client.instances.ready(signal);
    const routed = await client.instances.routeUri(uri, signal);
    return routed !== undefined && this.#mayAsk(`${routed.server}/resources/read`, admits);
  }

  #mayAsk(operation: string, admits: RelayRequest['admits']): boolean {
    const tool = this.#options.registry.getTool(operation);
    return tool !== undefined && admits(tool);
  }

  async #watch(request: RelayRequest, action: 'watch' | 'unwatch'): Promise<Result> {
    const { client, params, signal } = request;
    const uri = textIn(params, 'uri');
    if (!(await this.mayRead(uri, request))) throw new DevsError('RESOURCE_NOT_FOUND');
    await client[action](uri, signal);
    return {};
  }

  async #setLevel({ client, params }: RelayRequest): Promise<Result> {
    const level = LOG_LEVELS.find((known) => known === params['level']);
    if (level === undefined) throw invalid(`"level" must be one of ${LOG_LEVELS.join(', ')}.`);
    client.instances.setLogLevel(level);
    return await Promise.resolve({});
  }

  /** Through the gate, as often as the server asks something. What does not belong to any server is refused there too, and so logged. */
  async #call(request: RelayRequest, asked: AskedOperation): Promise<ToolResult | QuestionResult> {
    const { routed, method, args, missing } = asked;
    const toolName = `${routed?.server ?? '?'}/${method}`;
    // Who may not ask it is told what anybody is told of what is not there: else it could find out what is.
    const isThere = routed !== undefined && this.#mayAsk(toolName, request.admits);
    const agent = request.agent();
    const round = async (continuation: Continuation | undefined) => {
      const call = toCallRequest(request, { toolName, args, continuation, agent }, this.#options.projectRoot);
      return !isThere ? this.#options.proxy.refuse(call, new DevsError(missing)) : this.#options.proxy.execute(call);
    };
    return answerRounds(request, round);
  }
}

interface AskedOperation {
  readonly routed: Routed | undefined;
  readonly method: string;
  readonly args: JsonObject;
  readonly missing: 'RESOURCE_NOT_FOUND' | 'PROMPT_NOT_FOUND';
}

interface AskedCall extends Pick<ToolCallRequest, 'toolName' | 'args'> {
  readonly continuation: Continuation | undefined;
  /** The same in all rounds of one request. */
  readonly agent: Agent;
}

/** What the gate is asked, for a request of this client. */
export function toCallRequest(request: RelayRequest, { continuation, agent, ...asked }: AskedCall, projectRoot: string): ToolCallRequest {
  const { client, origin, signal, meta, onNotice, wantsProgress, admits } = request;
  const { context, agentSource, refusal } = readSessionContext({ _meta: meta }, projectRoot, agent);
  if (refusal !== undefined) throw refusal;
  return {
    ...asked,
    context: { ...ANONYMOUS, ...context },
    origin: agentSource === undefined ? origin : { ...origin, agentSource },
    signal,
    session: client.instances,
    admits,
    ...(continuation !== undefined && { continuation }),
    ...(meta !== undefined && { meta }),
    ...(onNotice !== undefined && { onNotice, wantsProgress }),
  };
}

export function isQuestion(result: ToolResult | QuestionResult): result is QuestionResult {
  return 'resultType' in result;
}

/** MCP has no results that tell of a failure but those of tools. */
function toWire(result: ToolResult | QuestionResult, data: Json, toResult: (result: ToolResult) => JsonObject): Result {
  if (isQuestion(result)) return result;
  if (result.isError === true) throw toFailure(result, data);
  return { ...toResult(result) };
}

function textIn(params: JsonObject, member: string): string {
  const value = params[member];
  if (typeof value !== 'string' || value === '') throw invalid(`"${member}" must be a string.`);
  return value;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
