import { DevsError, type JsonObject } from '@devs/core';
import { UpstreamError, type ClientSide, type ServerInfo, type Upstream, type UpstreamAnswer, type UpstreamRequest } from '../../protocol/upstream.ts';

/** What a server does; a test changes it while the server is there. */
export interface FakeServer {
  tools?: readonly JsonObject[];
  resources?: readonly JsonObject[];
  templates?: readonly JsonObject[];
  prompts?: readonly JsonObject[];
  instructions?: string;
  /** Whether lists are announced when they change. */
  announces?: boolean;
  /** Why it does not start. */
  down?: string;
  /** Resolves when it starts. */
  gate?: Promise<void>;
  /** Resolves when it gives its list of resources. */
  listGate?: Promise<void>;
  answer?: (request: UpstreamRequest) => UpstreamAnswer | Promise<UpstreamAnswer>;
}

export function tool(name: string, more: JsonObject = {}): JsonObject {
  return { name, description: `does ${name}`, inputSchema: { type: 'object' }, ...more };
}

/** One instance of a server, as the port says. */
export class FakeUpstream implements Upstream {
  readonly name: string;
  readonly server: FakeServer;
  readonly client: ClientSide;
  readonly asked: UpstreamRequest[] = [];
  info: ServerInfo | undefined;
  starts = 0;
  isEnded = false;

  constructor(name: string, server: FakeServer, client: ClientSide) {
    this.name = name;
    this.server = server;
    this.client = client;
  }

  async ready(): Promise<ServerInfo> {
    if (this.info !== undefined) return this.info;
    await this.server.gate;
    if (this.server.down !== undefined) throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence: this.server.down });
    this.starts += 1;
    const { tools, resources, templates, prompts, instructions, announces = true } = this.server;
    const declared = { listChanged: announces };
    this.info = {
      era: 'legacy',
      protocolVersion: '2025-11-25',
      serverInfo: { name: this.name, version: '1' },
      capabilities: {
        ...(tools !== undefined && { tools: declared }),
        ...((resources ?? templates) !== undefined && { resources: declared }),
        ...(prompts !== undefined && { prompts: declared }),
      },
      instructions,
    };
    return this.info;
  }

  async request(request: UpstreamRequest): Promise<UpstreamAnswer> {
    await this.ready();
    this.asked.push(request);
    const { tools = [], resources = [], templates = [], prompts = [], answer } = this.server;
    switch (request.method) {
      case 'tools/list':
        return { kind: 'complete', result: { tools } };
      case 'resources/list':
        await this.server.listGate;
        return { kind: 'complete', result: { resources } };
      case 'resources/templates/list':
        return { kind: 'complete', result: { resourceTemplates: templates } };
      case 'prompts/list':
        return { kind: 'complete', result: { prompts } };
      default:
        if (answer === undefined) throw new UpstreamError(-32_601, 'Method not found');
        return answer(request);
    }
  }

  notify(): void {}

  async end(): Promise<void> {
    this.isEnded = true;
    this.info = undefined;
  }

  /** It dies; what it is asked next starts it again. */
  lose(): void {
    this.info = undefined;
    this.client.onEvent({ kind: 'lost' });
  }

  askedFor(method: string): number {
    return this.asked.filter((request) => request.method === method).length;
  }
}
