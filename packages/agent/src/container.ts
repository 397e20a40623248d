import { DevsCoreConfig, once, ToolProxy, ToolRegistry, type DependencyContainer, type InjectionToken } from '@devs/core/container';
import { AgentLoop as Loop, type AgentLoopOptions } from './agent-loop.ts';

export const AgentLoop: InjectionToken<Loop> = Symbol('AgentLoop');

/** What the loop needs beside the parts that the container has. */
export type AgentOptions = Omit<AgentLoopOptions, 'registry' | 'proxy'>;

/** The loop over the container's gate, with the limits of its configuration. Needs `registerCore`; a binding that is there already stays. */
export function registerAgent(container: DependencyContainer, options: AgentOptions): void {
  once(container, AgentLoop, (c) => {
    const { limits } = c.resolve(DevsCoreConfig);
    return new Loop({ limits, ...options, registry: c.resolve(ToolRegistry), proxy: c.resolve(ToolProxy) });
  });
}
