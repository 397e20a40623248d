import type { DevsCoreConfig, PathRules } from './defaults.ts';
import { isWeakerLimits, type LimitsInForce } from './limits-order.ts';
import { nameSome } from './name-some.ts';
import { DEFAULT_OUTPUT_CONFIG, type OutputConfig } from './output-config.ts';
import { BOX_STRENGTH, weakerServers } from './server-weakenings.ts';
import { settingsFor, type ToolSettings } from './tool-settings.ts';

/** How much each policy covers. */
const BOUNDARY_STRENGTH = Object.freeze({ 'on-request': 0, untrusted: 1, always: 2 });

/** Says how a configuration protects less than the one in force without it; undefined when it does not. */
export type Weakening = (config: DevsCoreConfig, inForce: DevsCoreConfig) => string | undefined;

/**
 * For every key of the schema, what to warn of before somebody trusts a file. A key without an entry
 * fails a test: whoever adds one decides here, in writing, what it can weaken.
 */
export const WEAKENINGS: Readonly<Record<string, Weakening | 'never weakens'>> = Object.freeze({
  $schema: 'never weakens',
  'mcp.maxToolOutputBytes': larger(({ mcp }) => mcp.maxToolOutputBytes, 'bytes may stand in one tool result'),
  'mcp.maxMessageBytes': larger(({ mcp }) => mcp.maxMessageBytes, 'bytes of one message are held in memory'),
  'limits.toolTimeoutMs': larger(({ limits }) => limits.toolTimeoutMs, 'milliseconds may a tool go on'),
  'limits.principal.atOnce': larger(({ limits }) => limits.principal.atOnce, 'calls of one principal may run at once'),
  'limits.principal.perMinute': larger(({ limits }) => limits.principal.perMinute ?? Infinity, 'calls of one principal may begin in a minute'),
  'limits.maxUserMessageLength': larger(({ limits }) => limits.maxUserMessageLength, 'characters of a task go to the model'),
  'limits.maxToolOutputLength': larger(({ limits }) => limits.maxToolOutputLength, 'characters of a tool result go to the model of the agent loop'),
  'limits.maxTotalContextTokens': larger(({ limits }) => limits.maxTotalContextTokens, 'tokens may one request to a model cost'),
  'limits.maxFileReadSize': larger(({ limits }) => limits.maxFileReadSize, 'bytes may one read of a file return'),
  'validation.mode': ({ validation }, inForce) =>
    validation.mode === 'lenient' && inForce.validation.mode === 'strict' ? 'arguments of another type are turned into the wanted one' : undefined,
  'sanitize.boundaries': ({ sanitize }, inForce) =>
    BOUNDARY_STRENGTH[sanitize.boundaries] < BOUNDARY_STRENGTH[inForce.sanitize.boundaries] ? 'results of fewer tools stand inside a boundary' : undefined,
  'sanitize.structured': ({ sanitize }, inForce) =>
    sanitize.structured === 'keep' && inForce.sanitize.structured !== 'keep' ? 'the structured part of a result does not say that it is data from outside' : undefined,
  'sanitize.secrets': ({ sanitize }, inForce) =>
    !sanitize.secrets && inForce.sanitize.secrets ? 'secrets go to the model, and into the log, as they are' : undefined,
  'sanitize.triggers': ({ sanitize }, inForce) => {
    const gone = inForce.sanitize.triggers.filter((word) => !sanitize.triggers.includes(word));
    return gone.length === 0 ? undefined : `${nameSome(gone.map((word) => JSON.stringify(word)))} is no trigger any more`;
  },
  'sanitize.allowedSecrets': ({ sanitize }, inForce) => {
    const known = new Set(inForce.sanitize.allowedSecrets.map((allowed) => JSON.stringify(allowed)));
    const more = sanitize.allowedSecrets.map((allowed) => JSON.stringify(allowed)).filter((allowed) => !known.has(allowed));
    return more.length === 0 ? undefined : `what looks like a secret is let through: ${nameSome(more)}`;
  },
  'sanitize.maxSamplingTokens': larger(({ sanitize }) => sanitize.maxSamplingTokens, 'tokens may a server have the model of the client write at once'),
  'audit.durability': ({ audit }, inForce) =>
    audit.durability === 'process' && inForce.audit.durability === 'power' ? 'a power cut may take the last calls out of the log' : undefined,
  'audit.mode': ({ audit }, inForce) =>
    audit.mode === 'batch' && inForce.audit.mode === 'strict' ? 'a tool may run, and an answer leave, before the log has the call' : undefined,
  'audit.payloadDays': erasedSooner,
  'audit.maxBytes': larger(({ audit }) => audit.maxBytes || Infinity, 'bytes may the log take'),
  'audit.minFreeBytes': ({ audit }, inForce) =>
    audit.minFreeBytes < inForce.audit.minFreeBytes ? `calls go on until ${audit.minFreeBytes} bytes of the log's disk are free, where it was ${inForce.audit.minFreeBytes}` : undefined,
  'audit.heads.everyRecords': larger(({ audit }) => audit.heads.everyRecords, 'records may be lost from the log unnoticed'),
  'audit.heads.everySeconds': larger(({ audit }) => audit.heads.everySeconds, 'seconds of the log may be lost unnoticed'),
  'audit.heads.systemLog': ({ audit }, inForce) =>
    !audit.heads.systemLog && inForce.audit.heads.systemLog ? 'heads of the log do not go to the system log' : undefined,
  'audit.heads.file': headsFile,
  'files.protected': ({ files }, inForce) => {
    const gone = inForce.files.protected.filter((name) => !files.protected.includes(name));
    return gone.length === 0 ? undefined : `tools may write ${nameSome(gone.map((name) => JSON.stringify(name)))} again`;
  },
  'files.writable': ({ files }, inForce) => {
    const more = files.writable.filter((name) => !inForce.files.writable.includes(name));
    return more.length === 0 ? undefined : `tools may write ${nameSome(more.map((name) => JSON.stringify(name)))}, by which programs are started`;
  },
  'files.allowed': ({ files }, inForce) => widened(files, inForce.files),
  'files.blocked': ({ files }, inForce) => unblocked(files, inForce.files),
  'files.maxDepth': larger(({ files }) => files.maxDepth, 'folders deep may a path lead'),
  'files.symlinks': ({ files }, inForce) =>
    files.symlinks === 'inside' && inForce.files.symlinks === 'refuse' ? 'symbolic links are followed again' : undefined,
  'labels.untrustedPaths': ({ labels }, inForce) => {
    const gone = inForce.labels.untrustedPaths.filter((name) => !labels.untrustedPaths.includes(name));
    return gone.length === 0 ? undefined : `what lies in ${nameSome(gone.map((name) => JSON.stringify(name)))} is shown as your own`;
  },
  'network.hosts': ({ network }, inForce) => moreHosts(network.hosts, inForce.network.hosts),
  'sandbox.tools': ({ sandbox }, inForce) =>
    sandbox.tools === 'off' && inForce.sandbox.tools === 'require' ? 'commands and code run without a sandbox, with all that you may do' : undefined,
  'sandbox.upstreams': ({ sandbox }, inForce) =>
    BOX_STRENGTH[sandbox.upstreams] < BOX_STRENGTH[inForce.sandbox.upstreams] ? 'servers run without a sandbox, or where there is none' : undefined,
  'sandbox.memoryBytes': larger(({ sandbox }) => sandbox.memoryBytes, 'bytes of memory may a command use'),
  'sandbox.processes': larger(({ sandbox }) => sandbox.processes, 'processes may a command have at once'),
  'sandbox.readable': ({ sandbox }, inForce) => {
    const more = sandbox.readable.filter((path) => !inForce.sandbox.readable.includes(path));
    return more.length === 0 ? undefined : `commands may read ${nameSome(more.map((path) => JSON.stringify(path)))}`;
  },
  'sandbox.unixSockets': ({ sandbox }, inForce) =>
    sandbox.unixSockets && !inForce.sandbox.unixSockets ? 'commands may speak with whoever listens on a Unix socket in the project' : undefined,
  'sandbox.account': ({ sandbox }, inForce) => (sandbox.account === inForce.sandbox.account ? undefined : `commands run as the account ${sandbox.account ?? 'of devs'}`),
  'git.name': 'never weakens',
  'git.email': 'never weakens',
  'code.maxToolCalls': larger(({ code }) => code.maxToolCalls, 'calls of tools may one run of code make'),
  'http.maxConnections': larger(({ http }) => http.maxConnections, 'connections may be open at once'),
  'http.maxRequests': larger(({ http }) => http.maxRequests, 'requests may be under way at once'),
  'http.requestTimeoutMs': larger(({ http }) => http.requestTimeoutMs, 'milliseconds may a client take to send a request'),
  'http.maxSessions': larger(({ http }) => http.maxSessions, 'sessions may be kept at once'),
  'http.sessionIdleMs': larger(({ http }) => http.sessionIdleMs, 'milliseconds is a session kept that nobody uses'),
  tools: (config, inForce) => {
    const names = [...new Set([...Object.keys(config.tools), ...Object.keys(inForce.tools)])];
    const weaker = names.filter((name) => isWeaker(settingsOf(config, name), settingsOf(inForce, name)));
    return weaker.length === 0 ? undefined : `checks less, or opens more, for ${nameSome(weaker)}`;
  },
  mcpServers: weakerServers,
});

/** What `config` weakens, key by key, in the order of the schema. */
export function findWeakenings(
  config: DevsCoreConfig,
  inForce: DevsCoreConfig,
): readonly { readonly key: string; readonly sentence: string }[] {
  return Object.entries(WEAKENINGS).flatMap(([key, weakening]) => {
    const sentence = weakening === 'never weakens' ? undefined : weakening(config, inForce);
    return sentence === undefined ? [] : [{ key, sentence }];
  });
}

function larger(valueOf: (config: DevsCoreConfig) => number, what: string): Weakening {
  return (config, inForce) => {
    const [value, before] = [valueOf(config), valueOf(inForce)];
    return value > before ? `${sayCount(value)} ${what}, where it was ${sayCount(before)}` : undefined;
  };
}

function sayCount(count: number): string {
  return count === Infinity ? 'any number of' : String(count);
}

/** 0 is never. */
function erasedSooner({ audit }: DevsCoreConfig, inForce: DevsCoreConfig): string | undefined {
  const [days, before] = [audit.payloadDays, inForce.audit.payloadDays];
  if (days === 0 || (before !== 0 && days >= before)) return undefined;
  return `inputs and outputs may be erased from the log after ${days} days, where it was ${before === 0 ? 'never' : before}`;
}

/** Named, it lets devs write there; named no more, or another one, whoever looks at the old one sees no head. */
function headsFile({ audit }: DevsCoreConfig, inForce: DevsCoreConfig): string | undefined {
  const [file, before] = [audit.heads.file, inForce.audit.heads.file];
  if (file === before) return undefined;
  const gone = before === null ? undefined : `heads of the log do not go to ${nameSome([JSON.stringify(before)])}`;
  const comes = file === null ? undefined : `devs appends to the file ${nameSome([JSON.stringify(file)])}`;
  return [comes, gone].filter((part) => part !== undefined).join(', and ');
}

type SettingsInForce = ToolSettings & LimitsInForce;

function settingsOf(config: DevsCoreConfig, name: string): SettingsInForce {
  return { ...settingsFor(config, name), toolTimeoutMs: config.limits.toolTimeoutMs };
}

/** Said of a tool that reaches, reads or passes anything that it did not before. */
function isWeaker(settings: SettingsInForce, before: SettingsInForce): boolean {
  const { files, limits, network, validation, output, toolTimeoutMs } = settings;
  return (
    widened(files, before.files) !== undefined ||
    unblocked(files, before.files) !== undefined ||
    files.maxDepth > before.files.maxDepth ||
    (files.symlinks === 'inside' && before.files.symlinks === 'refuse') ||
    limits.maxFileReadSize > before.limits.maxFileReadSize ||
    isWeakerLimits({ limits, toolTimeoutMs }, before) ||
    isWeakerOutput(output, before.output) ||
    moreHosts(network.hosts, before.network.hosts) !== undefined ||
    (validation.mode === 'lenient' && before.validation.mode === 'strict')
  );
}

/** Said of output that holds more, or is looked at less. */
function isWeakerOutput(output: OutputConfig, before: OutputConfig): boolean {
  return (
    output.maxSizeBytes > before.maxSizeBytes ||
    // The words that stand in a model's text as devs's own.
    (output.truncationMessage !== before.truncationMessage && output.truncationMessage !== DEFAULT_OUTPUT_CONFIG.truncationMessage) ||
    (!output.validateJson && before.validateJson) ||
    (output.onBinary === 'replace' && before.onBinary === 'reject') ||
    (output.html === 'keep' && before.html === 'text') ||
    (output.links === 'keep' && before.links === 'mark')
  );
}

/** By name alone: whether one folder lies in another is not for a warning to find out. */
function widened({ allowed }: PathRules, before: PathRules): string | undefined {
  if (before.allowed.length === 0) return undefined;
  if (allowed.length === 0) return 'tools may reach the whole root';
  const more = allowed.filter((path) => !before.allowed.includes(path));
  return more.length === 0 ? undefined : `tools may also reach ${nameSome(more.map((path) => JSON.stringify(path)))}`;
}

function unblocked({ blocked }: PathRules, before: PathRules): string | undefined {
  const gone = before.blocked.filter((path) => !blocked.includes(path));
  return gone.length === 0 ? undefined : `tools may reach ${nameSome(gone.map((path) => JSON.stringify(path)))} again`;
}

function moreHosts(hosts: readonly string[], before: readonly string[]): string | undefined {
  const more = hosts.filter((host) => !before.includes(host));
  return more.length === 0 ? undefined : `tools may reach, and send what they read to, ${nameSome(more)}`;
}
