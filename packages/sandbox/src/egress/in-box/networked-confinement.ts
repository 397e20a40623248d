import { realpathSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ConfinedProcess, ConfinedRequest, Confinement, ConfinementReport, ExecOptions, ProcessOutcome } from '@devs/core';
import { DevsError } from '@devs/core';
import { collect } from '../../confinement/collect.ts';
import { runtimeMounts } from '../../confinement/runtime-mounts.ts';
import type { EgressProxy } from '../egress-proxy.ts';
import { joinLoopback } from './join-loopback.ts';

/** Where programs in a box find a proxy, unless that port is one that they reach through devs. */
const RELAY_PORT = 3_128;
/** Connections of one box at once. */
const MOST_STREAMS = 64;

/**
 * Lets boxes reach hosts that were allowed, and ports of this machine. The box itself has no network at all, as ever: a relay within it passes each
 * connection to devs over an inherited descriptor, and devs, which resolves, judges and dials, is the only way out.
 */
export class NetworkedConfinement implements Confinement {
  readonly #inner: Confinement;
  readonly #createProxy: (hosts: readonly string[]) => Promise<EgressProxy>;

  /** @param createProxy one for each process tree, of the hosts that it may reach */
  constructor(inner: Confinement, createProxy: (hosts: readonly string[]) => Promise<EgressProxy>) {
    this.#inner = inner;
    this.#createProxy = createProxy;
  }

  get name(): string {
    return this.#inner.name;
  }

  async probe(): Promise<ConfinementReport> {
    return this.#inner.probe();
  }

  async spawn(request: ConfinedRequest): Promise<ConfinedProcess> {
    const { hosts, loopbackPorts = [] } = request;
    if (!reachesOut(request)) return this.#inner.spawn(request);
    // There is one descriptor that leads out, and nobody asks for both today.
    if (request.channel === true) throw new DevsError('SANDBOX_UNAVAILABLE', { sentence: 'A sandbox has either a channel or a network.' });
    const running = await this.#inner.spawn(withRelay(request));
    const { channel } = running;
    // Without a proxy there is no way out, and the command goes on without.
    const created = hosts.length === 0 ? undefined : this.#createProxy(hosts);
    if (channel !== undefined) void serve(channel, { created, loopbackPorts }, running.exit).catch(() => channel.destroy());
    const { stdin, stdout, stderr, exit, enforcement } = running;
    return { stdin, stdout, stderr, exit, enforcement, channel: undefined, kill: () => running.kill(), askToEnd: () => running.askToEnd() };
  }

  async exec(request: ConfinedRequest, options: ExecOptions): Promise<ProcessOutcome> {
    if (!reachesOut(request)) return this.#inner.exec(request, options);
    return collect(await this.spawn(request), options);
  }
}

function reachesOut({ hosts, loopbackPorts = [] }: ConfinedRequest): boolean {
  return hosts.length > 0 || loopbackPorts.length > 0;
}

function withRelay(request: ConfinedRequest): ConfinedRequest {
  const { hosts, loopbackPorts = [] } = request;
  const proxyPort = hosts.length === 0 ? 0 : freePort(loopbackPorts);
  const node = realpathSync(process.execPath);
  const script = relayScript();
  return {
    ...request,
    hosts: [],
    loopbackPorts: [],
    channel: true,
    argv: [node, script, String(proxyPort), loopbackPorts.join(','), ...request.argv],
    env: { ...(proxyPort === 0 ? {} : proxyVariables(proxyPort, loopbackPorts)), ...request.env },
    mounts: [...request.mounts, ...runtimeMounts(node), { source: script, access: 'read' }],
  };
}

function freePort(taken: readonly number[]): number {
  return Array.from({ length: taken.length + 1 }, (_, index) => RELAY_PORT + index).find((port) => !taken.includes(port)) ?? RELAY_PORT;
}

function proxyVariables(port: number, loopbackPorts: readonly number[]): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${String(port)}`;
  // The proxy reaches nothing of this machine.
  const direct = loopbackPorts.length === 0 ? '' : 'localhost,127.0.0.1';
  return {
    ...Object.fromEntries(['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => [name, proxy])),
    NO_PROXY: direct,
    no_proxy: direct,
    // Node itself does not look at the others.
    NODE_USE_ENV_PROXY: '1',
  };
}

function relayScript(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'cts' : 'cjs';
  return realpathSync(fileURLToPath(new URL(`./relay.${extension}`, import.meta.url)));
}

/** What leads out of one box. */
interface Ways {
  /** Undefined: to no host. */
  readonly created: Promise<EgressProxy> | undefined;
  readonly loopbackPorts: readonly number[];
}

/** Every byte that comes may be hostile: the relay is as much in the hands of the command as anything else in the box. */
async function serve(channel: Duplex, { created, loopbackPorts }: Ways, end: Promise<unknown>): Promise<void> {
  await using proxy = await created;
  const ports = new Map(loopbackPorts.map((port) => [`/${String(port)}`, port]));
  const http2 = await import('node:http2');
  const session = http2.performServerHandshake(channel, { settings: { maxConcurrentStreams: MOST_STREAMS, enablePush: false } });
  session.on('error', () => session.destroy());
  session.on('stream', (stream, { ':path': path = '' }) => {
    stream.on('error', () => stream.destroy());
    const port = ports.get(path);
    const way = port === undefined ? path === '/' && proxy : port;
    if (way === false || way === undefined) {
      stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    stream.respond({ ':status': 200 });
    if (typeof way === 'number') joinLoopback(stream, way);
    else way.accept(stream);
  });
  await end;
  session.destroy();
  channel.destroy();
}
