import type { DevsCoreConfig, McpServerConfig, UpstreamSandboxMode, UpstreamSandboxRules } from './defaults.ts';
import { toNameKey } from './client-name.ts';
import { isWeakerLimits } from './limits-order.ts';
import { nameSome } from './name-some.ts';

/** How much each mode holds. */
export const BOX_STRENGTH: Readonly<Record<UpstreamSandboxMode, number>> = Object.freeze({ none: 0, prefer: 1, require: 2 });

/** One server in two configurations. One that was not there before was as a server is of which nothing is said. */
interface Change {
  readonly server: McpServerConfig;
  readonly before: McpServerConfig;
  /** What `sandbox.upstreams` says, now and before. */
  readonly mode: UpstreamSandboxMode;
  readonly modeBefore: UpstreamSandboxMode;
  /** What `limits.toolTimeoutMs` says, now and before. */
  readonly times: readonly [number, number];
}

const LOOSENED: readonly { readonly sentence: string; readonly isLooser: (change: Change) => boolean }[] = [
  { sentence: 'labels less of what comes from', isLooser: ({ server, before }) => labelsOf(before).some((label) => !labelsOf(server).includes(label)) },
  { sentence: 'allows more calls, or longer ones, of', isLooser: hasLooserLimits },
  { sentence: 'opens, or takes away, the sandbox of', isLooser: isLooserBox },
];

/** For `mcpServers`: which servers are brought, and which of what holds them is looser than it was. */
export function weakerServers(config: DevsCoreConfig, inForce: DevsCoreConfig): string | undefined {
  const { mcpServers } = config;
  const names = Object.keys(mcpServers);
  const brought = names.filter((name) => JSON.stringify(serverOf(mcpServers, name)) !== JSON.stringify(serverOf(inForce.mcpServers, name)));
  const loosened = LOOSENED.flatMap(({ sentence, isLooser }) => {
    const looser = brought.filter((name) => isLooser(changeOf(name, config, inForce)));
    return looser.length === 0 ? [] : [`${sentence} ${nameSome(looser)}`];
  });
  const claiming = brought.filter((name) => claimsNames(name, config, inForce));
  const claims = claiming.length === 0 ? [] : [`claims the namespace of another server for ${nameSome(claiming)}`];
  return brought.length === 0 ? undefined : [`names servers for devs to start or reach: ${nameSome(brought)}`, ...loosened, ...claims].join('; ');
}

/** Whether its tools are called as those of another server are, or were: an agent would ask `notes` and be answered by this one. */
function claimsNames(name: string, config: DevsCoreConfig, inForce: DevsCoreConfig): boolean {
  const own = namespaceOf(name, serverOf(config.mcpServers, name));
  const others = [config, inForce].flatMap(({ mcpServers }) => Object.entries(mcpServers)).filter(([other]) => other !== name);
  return own !== '' && others.some(([other, server]) => namespaceOf(other, server) === own);
}

function namespaceOf(name: string, { namespace = name }: McpServerConfig = {}): string {
  return toNameKey(namespace);
}

function changeOf(name: string, config: DevsCoreConfig, inForce: DevsCoreConfig): Change {
  const [server = {}, before = {}] = [serverOf(config.mcpServers, name), serverOf(inForce.mcpServers, name)];
  return { server, before, mode: config.sandbox.upstreams, modeBefore: inForce.sandbox.upstreams, times: [config.limits.toolTimeoutMs, inForce.limits.toolTimeoutMs] };
}

function serverOf(servers: DevsCoreConfig['mcpServers'], name: string): McpServerConfig | undefined {
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}

function labelsOf({ labels = ['untrusted'] }: McpServerConfig): readonly string[] {
  return labels;
}

function hasLooserLimits({ server, before, times: [time, timeBefore] }: Change): boolean {
  return isWeakerLimits({ limits: server.limits ?? {}, toolTimeoutMs: time }, { limits: before.limits ?? {}, toolTimeoutMs: timeBefore });
}

function isLooserBox({ server, before, mode, modeBefore }: Change): boolean {
  const [box = {}, boxBefore = {}] = [server.sandbox, before.sandbox];
  if (BOX_STRENGTH[box.mode ?? mode] < BOX_STRENGTH[boxBefore.mode ?? modeBefore]) return true;
  const known = new Set(waysOut(boxBefore));
  return waysOut(box).some((way) => !known.has(way));
}

/** Everything that a box is opened for, each as one text. */
function waysOut({ network, mounts, loopbackPorts = [] }: UpstreamSandboxRules): readonly string[] {
  const { readOnly = [], readWrite = [] } = mounts ?? {};
  return [
    ...(network?.hosts ?? []).map((host) => `host ${host}`),
    ...[...readOnly, ...readWrite].map((path) => `read ${path}`),
    ...readWrite.map((path) => `write ${path}`),
    ...loopbackPorts.map((port) => `port ${port}`),
  ];
}
