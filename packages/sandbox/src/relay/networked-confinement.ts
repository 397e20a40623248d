import { realpathSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ConfinedProcess, ConfinedRequest, Confinement, ConfinementReport, ExecOptions, ProcessOutcome } from '@devs/core';
import { DevsError } from '@devs/core';
import { collect } from '../confinement/collect.ts';
import { runtimeMounts } from '../confinement/runtime-mounts.ts';
import type { EgressProxy } from '../egress/egress-proxy.ts';

/** Where programs in a box find a proxy. */
export const RELAY_PORT = 3_128;

const PROXY = `http://127.0.0.1:${String(RELAY_PORT)}`;
const PROXY_VARIABLES = Object.freeze({
  ...Object.fromEntries(['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => [name, PROXY])),
  NO_PROXY: '',
  no_proxy: '',
  // Node itself does not look at the others.
  NODE_USE_ENV_PROXY: '1',
});

/** Connections of one box at once. */
const MOST_STREAMS = 64;

/**
 * Lets boxes reach hosts that were allowed. The box itself has no network at all, as ever: a relay within it passes each
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
    if (request.hosts.length === 0) return this.#inner.spawn(request);
    // There is one descriptor that leads out, and nobody asks for both today.
    if (request.channel === true) throw new DevsError('SANDBOX_UNAVAILABLE', { sentence: 'A box has either a channel or a network.' });
    const running = await this.#inner.spawn(withRelay(request));
    const { channel } = running;
    // Without a proxy there is no way out, and the command goes on without.
    if (channel !== undefined) void serve(channel, this.#createProxy(request.hosts), running.exit).catch(() => channel.destroy());
    const { stdin, stdout, stderr, exit, enforcement } = running;
    return { stdin, stdout, stderr, exit, enforcement, channel: undefined, kill: () => running.kill() };
  }

  async exec(request: ConfinedRequest, options: ExecOptions): Promise<ProcessOutcome> {
    if (request.hosts.length === 0) return this.#inner.exec(request, options);
    return collect(await this.spawn(request), options);
  }
}

function withRelay(request: ConfinedRequest): ConfinedRequest {
  const node = realpathSync(process.execPath);
  const script = relayScript();
  return {
    ...request,
    hosts: [],
    channel: true,
    argv: [node, script, ...request.argv],
    env: { ...PROXY_VARIABLES, ...request.env },
    mounts: [...request.mounts, ...runtimeMounts(node), { source: script, access: 'read' }],
  };
}

function relayScript(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'cts' : 'cjs';
  return realpathSync(fileURLToPath(new URL(`./relay.${extension}`, import.meta.url)));
}

/** Every byte that comes may be hostile: the relay is as much in the hands of the command as anything else in the box. */
async function serve(channel: Duplex, created: Promise<EgressProxy>, end: Promise<unknown>): Promise<void> {
  await using proxy = await created;
  const http2 = await import('node:http2');
  const session = http2.performServerHandshake(channel, { settings: { maxConcurrentStreams: MOST_STREAMS, enablePush: false } });
  session.on('error', () => session.destroy());
  session.on('stream', (stream) => {
    stream.on('error', () => stream.destroy());
    stream.respond({ ':status': 200 });
    proxy.accept(stream);
  });
  await end;
  session.destroy();
  channel.destroy();
}
