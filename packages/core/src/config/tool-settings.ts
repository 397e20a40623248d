import {
  DEFAULT_CONFIG,
  type CallLimits,
  type DevsCoreConfig,
  type NetworkRules,
  type PathRules,
  type ToolConfig,
  type ValidationMode,
} from './defaults.ts';
import { outputConfigFor, type OutputConfig } from './output-config.ts';

/** Path rules, and which of them are said of one tool: for whoever asks what has refused a path. */
export interface ToolPathRules extends PathRules {
  /** Absent: all of them are those of `files`. */
  readonly own?: { readonly tool: string; readonly files: Partial<PathRules> };
}

export interface ToolLimits extends Partial<CallLimits> {
  readonly maxFileReadSize: number;
  /** Absent: as the tool itself says, or as for all. */
  readonly toolTimeoutMs?: number;
}

/** What all tools of one server share. */
export interface ServerLimits extends Partial<CallLimits> {
  /** As the configuration names it. */
  readonly server: string;
}

/** What the configuration says about one tool, complete. */
export interface ToolSettings {
  readonly validation: { readonly mode: ValidationMode };
  readonly files: ToolPathRules;
  /** What it does not say of calls is not limited. */
  readonly limits: ToolLimits;
  /** Of the server that the tool is of, beside its own. Absent: of no server that is limited. */
  readonly serverLimits?: ServerLimits;
  readonly network: NetworkRules;
  readonly output: OutputConfig;
}

/**
 * In force for a tool of which nothing is said.
 * @example
 * ```ts
 * import { DEFAULT_TOOL_SETTINGS } from '@devs/core';
 * console.log(DEFAULT_TOOL_SETTINGS.network.hosts.length); // 0
 * ```
 */
export const DEFAULT_TOOL_SETTINGS: ToolSettings = settingsFor(DEFAULT_CONFIG, '');

/**
 * What holds for all tools, and over it what `tools.<name>` says. What is blocked for all stays blocked for each. Of a
 * server's tool the server's limits hold too. @param server the tool's server, by its name in the configuration; absent:
 * the one whose namespace the name begins with, which cannot be told of a server whose namespace is empty
 * @example
 * ```ts
 * import { parseConfig, settingsFor } from '@devs/core';
 * const config = parseConfig({ tools: { web_fetch: { network: { hosts: ['example.com'] } } } });
 * console.log(settingsFor(config, 'web_fetch').network.hosts); // [ 'example.com' ]
 * ```
 */
export function settingsFor(config: DevsCoreConfig, name: string, server = serverOf(config, name)): ToolSettings {
  const { validation, files, network, tools } = config;
  // A tool called `constructor` must not be given what every object inherits.
  const own: ToolConfig = Object.hasOwn(tools, name) ? (tools[name] ?? {}) : {};
  const { allowed, blocked, maxDepth, symlinks } = files;
  return Object.freeze({
    validation: Object.freeze({ mode: own.validation?.mode ?? validation.mode }),
    files: Object.freeze({
      allowed: own.files?.allowed ?? allowed,
      blocked: Object.freeze([...new Set([...blocked, ...(own.files?.blocked ?? [])])]),
      maxDepth: own.files?.maxDepth ?? maxDepth,
      symlinks: own.files?.symlinks ?? symlinks,
      ...(own.files !== undefined && { own: Object.freeze({ tool: name, files: own.files }) }),
    }),
    ...limitsFor(config, own, server),
    network: Object.freeze({ hosts: Object.freeze([...(own.network?.hosts ?? network.hosts)]) }),
    output: Object.freeze({ ...outputConfigFor(ownNameOf(config, name, server)), ...own.output }),
  });
}

/** What a server calls its tool: presets go by that, whatever the operator's namespace says. */
function ownNameOf({ mcpServers }: DevsCoreConfig, name: string, server: string | undefined): string {
  if (server === undefined || !Object.hasOwn(mcpServers, server)) return name;
  const prefix = `${mcpServers[server]?.namespace ?? server}__`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function limitsFor({ limits, mcpServers }: DevsCoreConfig, own: ToolConfig, server: string | undefined): Pick<ToolSettings, 'limits' | 'serverLimits'> {
  const ofServer = server === undefined || !Object.hasOwn(mcpServers, server) ? undefined : mcpServers[server]?.limits;
  const toolTimeoutMs = own.limits?.toolTimeoutMs ?? ofServer?.toolTimeoutMs;
  const ofTool = Object.freeze({
    maxFileReadSize: own.limits?.maxFileReadSize ?? limits.maxFileReadSize,
    ...(toolTimeoutMs !== undefined && { toolTimeoutMs }),
    ...callLimitsOf(own.limits),
  });
  const shared = callLimitsOf(ofServer);
  if (server === undefined || Object.keys(shared).length === 0) return { limits: ofTool };
  return { limits: ofTool, serverLimits: Object.freeze({ server, ...shared }) };
}

/** What is said of calls, without the rest. */
function callLimitsOf({ atOnce, perMinute }: Partial<CallLimits> = {}): Partial<CallLimits> {
  return { ...(atOnce !== undefined && { atOnce }), ...(perMinute !== undefined && perMinute !== null && { perMinute }) };
}

function serverOf({ mcpServers }: DevsCoreConfig, name: string): string | undefined {
  const slash = name.indexOf('/');
  if (slash !== -1) return name.slice(0, slash);
  return Object.entries(mcpServers).find(([server, { namespace = server }]) => namespace !== '' && name.startsWith(`${namespace}__`))?.[0];
}
