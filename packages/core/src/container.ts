import 'reflect-metadata';
import { container as rootContainer, type DependencyContainer, type InjectionToken } from 'tsyringe';
import type { AuditLogger as AuditLoggerPort } from './audit/events.ts';
import { settingsFor, type DevsCoreConfig as Config } from './config/schema.ts';
import { withCleanLines } from './logging/clean-lines.ts';
import { createPinoLogger } from './logging/pino-logger.ts';
import type { StructuredLogger as Logger } from './logging/structured-logger.ts';
import { createOutputSanitizer, type IOutputSanitizer as Sanitizer } from './protocol/output-sanitizer.ts';
import { OutputPolicy as Policy } from './sanitization/output-policy.ts';
import { ToolProxy as Gate } from './tool-proxy/ToolProxy.ts';
import type { AgentLogRepository as Log, SandboxExecutor as Sandbox } from './tool-proxy/call/types.ts';
import { ToolRegistry as Registry } from './tool-registry/ToolRegistry.ts';

// A token is a symbol that shares its interface's name.
export const DevsCoreConfig: InjectionToken<Config> = Symbol('DevsCoreConfig');
export const StructuredLogger: InjectionToken<Logger> = Symbol('StructuredLogger');
export const IOutputSanitizer: InjectionToken<Sanitizer> = Symbol('IOutputSanitizer');
export const OutputPolicy: InjectionToken<Policy> = Symbol('OutputPolicy');
export const ToolRegistry: InjectionToken<Registry> = Symbol('ToolRegistry');
export const SandboxExecutor: InjectionToken<Sandbox> = Symbol('SandboxExecutor');
export const AuditLogger: InjectionToken<AuditLoggerPort> = Symbol('AuditLogger');
export const AgentLogRepository: InjectionToken<Log> = Symbol('AgentLogRepository');
export const ToolProxy: InjectionToken<Gate> = Symbol('ToolProxy');

/** A container for one server. Never the global one: two servers in a process share nothing. */
export function createContainer(): DependencyContainer {
  return rootContainer.createChildContainer();
}

/** For packages that bring tokens of their own, so that only this file knows the container's library. */
export type { DependencyContainer, InjectionToken } from 'tsyringe';

/** What a server knows beside its configuration. */
export interface CoreOptions {
  /** The folder that is served: see `ToolProxyOptions`. */
  readonly pathRoot?: string;
  /** Values that must come back from no tool, nor stand in the log. */
  readonly injectedSecrets?: readonly string[];
  /** Makes fingerprints of findings that hold longer than this process. */
  readonly fingerprintKey?: Uint8Array;
}

/**
 * The core's own parts, each made once in a container and only when asked for. `SandboxExecutor`, `AuditLogger` and
 * `AgentLogRepository` come from the packages that implement them. What is bound in this container already stays: an
 * embedder replaces a part by binding its token first.
 */
export function registerCore(container: DependencyContainer, config: Config, options: CoreOptions = {}): void {
  const { pathRoot, ...secrets } = options;
  once(container, DevsCoreConfig, () => config);
  once(container, StructuredLogger, (c) => withCleanLines(createPinoLogger(), (text) => c.resolve(OutputPolicy).cleanLine(text)));
  once(container, IOutputSanitizer, (c) => createOutputSanitizer(c.resolve(DevsCoreConfig), { logger: c.resolve(StructuredLogger) }));
  once(container, OutputPolicy, (c) => createPolicy(c.resolve(DevsCoreConfig), secrets));
  once(container, ToolRegistry, (c) => createRegistry(c));
  once(container, ToolProxy, (c) => createGate(c, pathRoot));
}

function createPolicy({ sanitize, labels }: Config, secrets: Omit<CoreOptions, 'pathRoot'>): Policy {
  return new Policy({ sanitize, untrustedPaths: labels.untrustedPaths, ...secrets });
}

function createRegistry(container: DependencyContainer): Registry {
  const config = container.resolve(DevsCoreConfig);
  return new Registry({ settingsFor: (name, server) => settingsFor(config, name, server), policy: container.resolve(OutputPolicy) });
}

function createGate(container: DependencyContainer, pathRoot: string | undefined): Gate {
  const { limits, mcp } = container.resolve(DevsCoreConfig);
  return new Gate(
    container.resolve(ToolRegistry),
    container.resolve(SandboxExecutor),
    container.resolve(AuditLogger),
    container.resolve(AgentLogRepository),
    {
      sanitizer: container.resolve(IOutputSanitizer),
      logger: container.resolve(StructuredLogger),
      outputPolicy: container.resolve(OutputPolicy),
      maxToolOutputBytes: mcp.maxToolOutputBytes,
      toolTimeoutMs: limits.toolTimeoutMs,
      principalLimits: limits.principal,
      ...(pathRoot !== undefined && { pathRoot }),
    },
  );
}

/**
 * Binds a factory whose value is made once for each container that asks: a child container that replaces one part gets
 * its own parts around it, and changes nothing for its parent. A token that this container has already is left alone.
 */
export function once<Value>(
  container: DependencyContainer,
  token: InjectionToken<Value>,
  create: (container: DependencyContainer) => Value,
): void {
  if (container.isRegistered(token)) return;
  const made = new WeakMap<DependencyContainer, { readonly value: Value }>();
  container.register(token, {
    useFactory: (asking) => {
      const known = made.get(asking) ?? { value: create(asking) };
      made.set(asking, known);
      return known.value;
    },
  });
}
