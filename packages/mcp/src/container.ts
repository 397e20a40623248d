import { once, StructuredLogger, ToolProxy, ToolRegistry, type DependencyContainer, type InjectionToken } from '@devs/core/container';
import { OrchestratorServer as Server, type OrchestratorServerOptions } from './orchestrator/OrchestratorServer.ts';

export const OrchestratorServer: InjectionToken<Server> = Symbol('OrchestratorServer');

/** What the server needs beside the parts that the container has. */
export type McpOptions = Omit<OrchestratorServerOptions, 'registry' | 'proxy' | 'logger'>;

/** The MCP server in front of the container's gate. Needs `registerCore`; a binding that is there already stays. */
export function registerMcp(container: DependencyContainer, options: McpOptions): void {
  once(container, OrchestratorServer, (c) => {
    const parts = { registry: c.resolve(ToolRegistry), proxy: c.resolve(ToolProxy), logger: c.resolve(StructuredLogger) };
    return new Server({ ...options, ...parts });
  });
}
