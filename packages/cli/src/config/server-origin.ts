import { isRecord } from '@devs/core';
import type { Layer, LoadedConfig } from './loaded-config.ts';

/** A server is one value: the last file that names it is where all of it comes from. */
export function layerOf(name: string, layers: readonly Layer[]): Layer | undefined {
  return layers.findLast(({ values }) => isRecord(values['mcpServers']) && Object.hasOwn(values['mcpServers'], name));
}

/** Whether a server is one that a file of the project brings. */
export function isOfProject(name: string, { layers }: Pick<LoadedConfig, 'layers'>): boolean {
  return layerOf(name, layers)?.role === 'project';
}
