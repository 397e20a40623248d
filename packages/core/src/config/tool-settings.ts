import { DEFAULT_CONFIG, type DevsCoreConfig, type NetworkRules, type PathRules, type ToolConfig, type ValidationMode } from './defaults.ts';
import { outputConfigFor, type OutputConfig } from './output-config.ts';

/** Path rules, and which of them are said of one tool: for whoever asks what has refused a path. */
export interface ToolPathRules extends PathRules {
  /** Absent: all of them are those of `files`. */
  readonly own?: { readonly tool: string; readonly files: Partial<PathRules> };
}

/** What the configuration says about one tool, complete. */
export interface ToolSettings {
  readonly validation: { readonly mode: ValidationMode };
  readonly files: ToolPathRules;
  readonly limits: { readonly maxFileReadSize: number };
  readonly network: NetworkRules;
  readonly output: OutputConfig;
}

/** In force for a tool of which nothing is said. */
export const DEFAULT_TOOL_SETTINGS: ToolSettings = settingsFor(DEFAULT_CONFIG, '');

/** What holds for all tools, and over it what `tools.<name>` says. What is blocked for all stays blocked for each. */
export function settingsFor({ validation, files, limits, network, tools }: DevsCoreConfig, name: string): ToolSettings {
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
    limits: Object.freeze({ maxFileReadSize: own.limits?.maxFileReadSize ?? limits.maxFileReadSize }),
    network: Object.freeze({ hosts: Object.freeze([...(own.network?.hosts ?? network.hosts)]) }),
    output: Object.freeze({ ...outputConfigFor(name), ...own.output }),
  });
}
