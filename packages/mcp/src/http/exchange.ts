import type { IncomingMessage, ServerResponse } from 'node:http';
import { DevsError, describeCause, isRecord, type Origin, type StructuredLogger } from '@devs/core';
import { CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Connection, OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';
import { Arrivals } from '../raw/arrivals.ts';
import { MODERN_VERSIONS } from '../raw/connection-era.ts';
import type { Oversized } from '../raw/message-buffer.ts';
import { readMessage, type Objection, type Reading, type RequestId, type Unreadable } from '../raw/read-message.ts';
import { answeredBySdk, tooLarge, toCallRefusal, toStandIn } from '../raw/stand-in.ts';
import { sendAnswer } from './answer.ts';
import type { Share } from './budget.ts';
import type { HttpLimits } from './limits.ts';
import type { OutletOptions } from './outlet.ts';
import { refuse, refuseAndClose, STOPPING, tooLargeToRead, tooMany, type Refusal } from './refusal.ts';

/** What the exchanges of one server share. */
export interface ExchangeContext {
  readonly server: OrchestratorServer;
  readonly origin: Origin;
  readonly limits: HttpLimits;
  readonly logger: StructuredLogger;
  readonly outlet: OutletOptions;
  readonly mcp: McpHttpHandler;
  /** Tells whom the SDK's next protocol server is for. */
  readonly expect: (request: Request, connection: Connection) => void;
}

type RequestReading = Extract<Reading, { readonly kind: 'request' }>;

const TOO_MANY_VALUES = tooMany('The values in the messages of other requests fill the room that devs has for them.');
/** The SDK wants a URL. The client's own words are not used for it. */
const URL_OF_SDK = 'http://localhost/mcp';

/**
 * One message and its answer, from the whole body on. Stands between the bytes and the SDK, which loses
 * own `__proto__` keys and answers some calls by itself: every call whose body was read is in the log.
 */
export class Exchange {
  readonly #context: ExchangeContext;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();
  /** True for a stream that stays open for as long as the client likes. */
  isSubscription = false;

  constructor(context: ExchangeContext, request: IncomingMessage, response: ServerResponse) {
    this.#context = context;
    this.#request = request;
    this.#response = response;
    response.once('close', () => {
      if (!response.writableFinished) this.#gone.abort();
    });
    if (response.destroyed) this.#gone.abort();
  }

  /** @param values grows with the values of the message, for as long as they are held */
  async serve(bytes: Buffer, values: Share): Promise<void> {
    const reading = readMessage(bytes);
    switch (reading.kind) {
      case 'request':
        return this.#serveRequest(reading, { bytes: bytes.length, values });
      case 'notification':
      case 'response':
        return this.#handOn(reading.value, { id: null, arrivals: new Arrivals() });
      case 'unreadable':
        return this.#turnAway(reading);
    }
  }

  /** Answers a message that was not read to its end, once the call that it was is in the log. */
  async refuseOversized({ problem, glimpse }: Oversized): Promise<void> {
    const { id, method, toolName } = glimpse;
    this.#report(`a message that ${problem}`);
    if (method === 'tools/call') await this.#record({ name: toolName }, tooLarge(problem));
    const { outlet, limits } = this.#context;
    await refuseAndClose(this.#request, this.#response, { ...tooLargeToRead(problem, id), outlet, lingerMs: limits.lingerMs });
  }

  async #serveRequest({ request, value, flaw, values: count }: RequestReading, held: { readonly bytes: number; readonly values: Share }): Promise<void> {
    const { id, method, params } = request;
    if (!held.values.resize(count)) return this.#refuseRequest(request, { ...TOO_MANY_VALUES, id });
    const refusal = flaw === undefined ? undefined : toCallRefusal(flaw);
    const arrivals = new Arrivals();
    this.isSubscription = method === 'subscriptions/listen';
    arrivals.add(id, { method, params, bytes: held.bytes, refusal });
    await this.#handOn(refusal === undefined ? value : toStandIn(request, this.#envelope()), { id, arrivals });
  }

  async #refuseRequest({ method, params }: RequestReading['request'], refusal: Refusal): Promise<void> {
    if (method === 'tools/call') await this.#record(params, toDevsError(refusal.error));
    await this.#refuse(refusal);
  }

  async #turnAway({ objection, id, calls, others }: Unreadable): Promise<void> {
    this.#report(objection.message);
    await Promise.all(calls.map(async (params) => this.#record(params, toDevsError(objection))));
    // One answer, to none of the requests of a batch more than to another.
    await this.#refuse({ status: 400, error: objection, id: others.length > 0 ? null : id });
  }

  async #handOn(value: object, { id, arrivals }: { readonly id: RequestId | null; readonly arrivals: Arrivals }): Promise<void> {
    const { outlet, mcp, origin, expect } = this.#context;
    const beforeBody = async (body: Buffer | undefined) => this.#recordUnseen(id, { arrivals, body });
    try {
      const request = new Request(URL_OF_SDK, { method: 'POST', headers: this.#headers(), signal: this.#gone.signal });
      expect(request, { origin, arrivals, ready: async () => Promise.race([outlet.unread.untilTaken(), this.#closed()]) });
      await sendAnswer(await mcp.fetch(request, { parsedBody: value }), this.#response, { ...outlet, beforeBody });
    } catch (cause) {
      // The SDK answers what goes wrong within it: it throws when it is closed, or when the client is gone.
      this.#context.logger.warn('MCP_TRANSPORT_ERROR', { error: describeCause(cause).slice(0, 500) });
      await beforeBody(undefined);
      if (this.#response.headersSent) this.#response.destroy();
      else await this.#refuse({ ...STOPPING, id });
    }
  }

  /** The SDK turned a call away before the gate could see it: it is recorded before it is answered. */
  async #recordUnseen(id: RequestId | null, { arrivals, body }: { readonly arrivals: Arrivals; readonly body: Buffer | undefined }): Promise<void> {
    const unseen = id === null ? undefined : arrivals.end(id);
    if (unseen === undefined) return;
    await this.#record(unseen.params, unseen.refusal ?? answeredBySdk(reasonIn(body)));
  }

  async #refuse(refusal: Refusal): Promise<void> {
    await refuse(this.#response, refusal, this.#context.outlet);
  }

  async #record(params: unknown, refusal: DevsError): Promise<void> {
    const { server, origin } = this.#context;
    await server.recordRefusal(params, refusal, origin);
  }

  /** What a refused message is taken to say of its protocol when its own `_meta` cannot be used. */
  #envelope(): object {
    const version = this.#request.headers['mcp-protocol-version'];
    if (typeof version !== 'string' || !MODERN_VERSIONS.includes(version)) return {};
    return { [PROTOCOL_VERSION_META_KEY]: version, [CLIENT_CAPABILITIES_META_KEY]: {} };
  }

  #headers(): Headers {
    const headers = new Headers();
    for (const [name, values] of Object.entries(this.#request.headersDistinct)) {
      for (const value of values ?? []) headers.append(name, value);
    }
    // The token has done its work at the door; no handler has a use for it.
    headers.delete('authorization');
    return headers;
  }

  async #closed(): Promise<void> {
    if (this.#gone.signal.aborted) return;
    await new Promise((resolve) => this.#gone.signal.addEventListener('abort', resolve, { once: true }));
  }

  #report(problem: string): void {
    this.#context.logger.warn('MCP_MESSAGE_REFUSED', { problem });
  }
}

function toDevsError({ message }: Objection): DevsError {
  return new DevsError('MESSAGE_REFUSED', { sentence: message });
}

/** The reason in the SDK's answer. */
function reasonIn(body: Buffer | undefined): string {
  try {
    const answer: unknown = JSON.parse(body?.toString() ?? '');
    const error = isRecord(answer) && isRecord(answer['error']) ? answer['error'] : {};
    if (typeof error['message'] === 'string') return error['message'];
  } catch {
    // Told below.
  }
  return 'answered by the protocol layer';
}
