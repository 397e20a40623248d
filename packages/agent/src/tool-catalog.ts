import type { ToolRegistry } from '@devs/core';

/** The tools that an agent may have: a registry, or what somebody leaves of one. */
export type ToolCatalog = Pick<ToolRegistry, 'getTool' | 'listToolsForContext'>;
