import { isRecord } from '@devs/core';
import type { LoadedConfig } from './load-config.ts';

/** Whether a server is one that a file of the project brings. The last file that names it is where all of it comes from. */
export function isOfProject(name: string, { layers }: Pick<LoadedConfig, 'layers'>): boolean {
  const layer = layers.findLast(({ values }) => isRecord(values['mcpServers']) && Object.hasOwn(values['mcpServers'], name));
  return layer?.role === 'project';
}
