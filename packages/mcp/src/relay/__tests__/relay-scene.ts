import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isRecord, silentLogger } from '@devs/core';
import { GATEWAY_PROFILE } from '../../orchestrator/server-profile.ts';
import { OrchestratorServer } from '../../orchestrator/OrchestratorServer.ts';
import { serveOverStdio } from '../../transports/stdio.ts';
import type { FakeServer } from '../../upstream/__tests__/fake-upstream.ts';
import { createPoolScene } from '../../upstream/__tests__/pool-scene.ts';
import type { Timers } from '../../upstream/protocol/timers.ts';
import { RelayClients } from '../relay-clients.ts';

export type Message = Readonly<Record<string, unknown>>;

const MODERN_VERSION = '2026-07-28';

export interface RelaySceneOptions {
  readonly capabilities?: object;
  /** Answers what the client is asked; undefined: it never answers. */
  readonly answer?: (request: Message) => object | undefined;
  /** False: no person sits behind the client. Default true. */
  readonly interactive?: boolean;
  readonly timers?: Timers;
}

/** The real server, gate and pool, over a pair of streams, in front of servers that are made up. */
export function openRelay(servers: Readonly<Record<string, FakeServer>>, { capabilities = {}, answer = () => undefined, interactive = true, timers }: RelaySceneOptions = {}) {
  const scene = createPoolScene(servers, timers === undefined ? {} : { timers });
  const clients = new RelayClients({ pool: scene.pool, logger: silentLogger, cleanNotice: () => undefined });
  const diagnostics: (readonly [event: string, fields: object | undefined])[] = [];
  const logger = { ...silentLogger, error: (event: string, fields?: object) => void diagnostics.push([event, fields]) };
  const server = new OrchestratorServer({ logger, registry: scene.registry, proxy: scene.proxy, projectRoot: '/project', version: '1', profile: () => GATEWAY_PROFILE, clients });
  const create = server.createProtocolServer.bind(server);
  server.createProtocolServer = (connection) => create({ ...connection, interactive });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const messages: Message[] = [];
  let rest = '';
  const write = (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  output.on('data', (chunk) => {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
  const hear = (line: string) => {
    const message: unknown = JSON.parse(line);
    if (!isRecord(message)) return;
    messages.push(message);
    const answered = typeof message['method'] === 'string' && message['id'] !== undefined ? answer(message) : undefined;
    if (answered !== undefined) write({ id: message['id'], ...answered });
  };
  const running = serveOverStdio(server, { input, output, graceMs: 20 });
  let ids = 0;
  const ask = async (method: string, params: object = {}): Promise<Message> => {
    ids += 1;
    const id = `r${String(ids)}`;
    write({ id, method, params });
    for (;;) {
      const found = messages.find((message) => message['id'] === id && message['method'] === undefined);
      if (found !== undefined) return found;
      await setImmediate();
    }
  };
  return {
    ...scene,
    clients,
    /** What the operator is told of what nobody has foreseen. */
    diagnostics,
    running,
    messages,
    write,
    ask,
    /** As the newer protocol does. */
    askModern: async (method: string, params: object = {}, meta: object = {}) => ask(method, { ...params, _meta: { ...modernMeta(capabilities), ...meta } }),
    greet: async () => {
      await ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'c', version: '1' } });
      write({ method: 'notifications/initialized' });
    },
    told: (method: string) => messages.filter((message) => message['method'] === method),
    [Symbol.asyncDispose]: async () => {
      input.end();
      await running.closed;
      await clients.endAll();
    },
  };
}

function modernMeta(capabilities: object) {
  return { 'io.modelcontextprotocol/protocolVersion': MODERN_VERSION, 'io.modelcontextprotocol/clientCapabilities': capabilities };
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}
