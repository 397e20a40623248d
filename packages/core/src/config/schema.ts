import { DevsError } from '../errors.ts';
import { compileCheck } from './compile-check.ts';
import type { DevsCoreConfig } from './defaults.ts';
import { describeProblem, findPoisonedKeys, toProblem, type ConfigProblem } from './problems.ts';
import { findServerProblems } from './server-problems.ts';

export { DEFAULT_CONFIG } from './defaults.ts';
export type {
  AllowedSecret,
  AuditMode,
  BoundaryPolicy,
  DevsCoreConfig,
  Durability,
  CallLimits,
  McpServerConfig,
  NetworkRules,
  OutputSanitizerConfig,
  PathRules,
  SandboxMode,
  SandboxRules,
  UpstreamSandboxMode,
  UpstreamSandboxRules,
  SizeLimits,
  StructuredPolicy,
  ToolConfig,
  ValidationMode,
} from './defaults.ts';
export { DEFAULT_TOOL_SETTINGS, settingsFor } from './tool-settings.ts';
export type { ServerLimits, ToolLimits, ToolSettings } from './tool-settings.ts';
export { combineOutputConfig, DEFAULT_MAX_OUTPUT_SIZE, DEFAULT_OUTPUT_CONFIG, OUTPUT_PRESETS, outputConfigFor } from './output-config.ts';
export type { OutputConfig, OutputPreset } from './output-config.ts';
export { CONFIG_SCHEMA, listConfigKeys } from './json-schema.ts';
export { describePointer, fromPointer, toPointer } from './pointer.ts';
export { describeProblem } from './problems.ts';
export type { ConfigProblem } from './problems.ts';
export { toClientName, toNameKey } from './client-name.ts';
export { nameSome } from './name-some.ts';
export { findWeakenings, WEAKENINGS } from './weakenings.ts';
export type { Weakening } from './weakenings.ts';

/** More than these help nobody, and a hostile file could make a message of any length. */
const MAX_PROBLEMS = 20;

export type ConfigCheck =
  | { readonly ok: true; readonly config: DevsCoreConfig }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/**
 * A check of configurations: gives one complete and frozen, what is missing at its safe default; or up
 * to 20 problems. It never throws. Making it may compile the schema, so who checks several files makes one.
 * @example
 * ```ts
 * import { createConfigCheck } from '@devs/core';
 * const check = createConfigCheck();
 * console.log(check({}).ok, check({ audit: { durabilty: 'power' } }).ok); // true false
 * ```
 */
export function createConfigCheck(): (input: unknown) => ConfigCheck {
  const validate = compileCheck();
  return (input) => {
    const candidate = copyOf(input);
    if (candidate === undefined) return refuse([{ pointer: '', problem: 'is not plain data', rule: 'must be plain data' }]);
    const poisoned = findPoisonedKeys(candidate.data);
    if (poisoned.length > 0) return refuse(poisoned);
    const ofServers = findServerProblems(candidate.data);
    if (!validate(candidate.data)) return refuse([...(validate.errors ?? []).flatMap((error) => toProblem(error) ?? []), ...ofServers]);
    if (ofServers.length > 0) return refuse(ofServers);
    const { $schema: _ignored, ...config } = candidate.data;
    return { ok: true, config: deepFreeze(config) };
  };
}

/** One check; see `createConfigCheck`. */
export function checkConfig(input: unknown = {}): ConfigCheck {
  return createConfigCheck()(input);
}

/**
 * A configuration, complete and frozen: what is missing takes its safe default. Throws
 * `CONFIG_INVALID` naming the key, what is wrong and what would be right.
 * @example
 * ```ts
 * import { parseConfig } from '@devs/core';
 * console.log(parseConfig({ audit: { durability: 'process' } }).audit.durability); // process
 * ```
 */
export function parseConfig(input: unknown = {}): DevsCoreConfig {
  const check = checkConfig(input);
  if (check.ok) return check.config;
  const [first] = check.problems;
  throw new DevsError('CONFIG_INVALID', { sentence: `${first === undefined ? 'The configuration is not valid' : describeProblem(first)}.` });
}

function refuse(problems: readonly ConfigProblem[]): ConfigCheck {
  const said = new Map(problems.map((problem) => [`${problem.pointer} ${problem.problem}`, problem]));
  return { ok: false, problems: [...said.values()].slice(0, MAX_PROBLEMS) };
}

/** Undefined for what no JSON could have been: functions, endless nesting. */
function copyOf(input: unknown): { readonly data: unknown } | undefined {
  try {
    return { data: structuredClone(input) };
  } catch {
    return undefined;
  }
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
