import { DevsError, isRecord, type JsonObject, type RawToolResult } from '@devs/core';
import { ListedTools, type ListedTool } from './listed-tools.ts';
import {
  Client,
  isSpecType,
  SUPPORTED_PROTOCOL_VERSIONS,
  type ClientCapabilities,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import type { ClientHello } from '../client-hello.ts';
import { untilDrained, type ChildServer } from './child-server.ts';
import { ChildTransport } from './child-transport.ts';
import { toRawFailure, toRawResult } from './raw-result.ts';
import type { Timers } from './timers.ts';

export interface SessionOptions {
  readonly maxMessageBytes: number;
  readonly timers: Timers;
  readonly onNoise: (problem: string) => void;
  /** Told when the server says that its tools have changed. */
  readonly onToolsChanged: () => void;
}

const MOST_PAGES = 100;
/** The gate has the deadline; the SDK's own would be a second one. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** Takes an answer as it came: the SDK's schemas would drop what they do not know. */
const RAW: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'devs', validate: (value) => ({ value }) },
};

/** One life of a server: its process, and MCP with it. */
export class UpstreamSession {
  readonly child: ChildServer;
  /** Resolves when the process is gone and every call that was under way has its end. */
  readonly closed: Promise<void>;
  readonly #client: Client;
  readonly #transport: ChildTransport;

  constructor(child: ChildServer, hello: ClientHello, options: SessionOptions) {
    this.child = child;
    const { input, output } = child;
    const { maxMessageBytes, onNoise, timers } = options;
    this.#transport = new ChildTransport({ input, output, maxMessageBytes, onNoise, onBroken: () => void child.end() });
    this.#client = createClient(hello);
    this.#client.setNotificationHandler('notifications/tools/list_changed', options.onToolsChanged);
    this.closed = this.#watch(timers);
  }

  /** Rejects when the server does not answer as MCP wants it within the time. */
  async connect(timeoutMs: number): Promise<void> {
    await this.#client.connect(this.#transport, { timeout: timeoutMs });
  }

  /**
   * The tools of all pages, each as far as it can be used. Rejects when a page is not answered in time,
   * or is none. @param timeLeft milliseconds that the next page may take
   */
  async listTools(timeLeft: () => number): Promise<readonly ListedTool[]> {
    const listed = new ListedTools();
    if (this.#client.getServerCapabilities()?.tools === undefined) return listed.tools;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && !listed.isFull; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await this.#client.request({ method: 'tools/list', params }, RAW, { timeout: timeLeft() });
      const { tools, nextCursor } = readPage(answer);
      await listed.add(tools);
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    return listed.tools;
  }

  /** Rejects with `UPSTREAM_UNAVAILABLE`, `UPSTREAM_LOST` or `UPSTREAM_ANSWER_REFUSED`. */
  async call(name: string, args: JsonObject, signal: AbortSignal): Promise<RawToolResult> {
    const options = { signal, timeout: NO_TIMEOUT_MS };
    const asked = this.#client.request({ method: 'tools/call', params: { name, arguments: args } }, RAW, options);
    return asked.then(toRawResult, toRawFailure);
  }

  async #watch(timers: Timers): Promise<void> {
    await this.child.exited;
    this.#transport.stopSending();
    // What it answered in its last moment is an answer.
    await untilDrained(this.child.output, timers);
    this.child.output.destroy();
    await this.#transport.close();
  }
}

/** Declares upstream what the client declared. Its version too, unless that one knows no handshake. */
function createClient({ protocolVersion, capabilities, clientInfo }: ClientHello): Client {
  const supportedProtocolVersions = [protocolVersion, ...SUPPORTED_PROTOCOL_VERSIONS];
  const declared = isCapabilities(capabilities) ? capabilities : {};
  return new Client({ ...clientInfo }, { capabilities: declared, supportedProtocolVersions });
}

/** What it was declared with goes on as it is: the SDK's own parse would drop what it does not know. */
function isCapabilities(value: unknown): value is ClientCapabilities {
  return isSpecType.ClientCapabilities(value);
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

function readPage(answer: unknown): Page {
  const { tools, nextCursor } = isRecord(answer) ? answer : {};
  if (!Array.isArray(tools)) throw new DevsError('UPSTREAM_ANSWER_REFUSED', { sentence: 'The server gave no list of its tools.' });
  return { tools, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined };
}
