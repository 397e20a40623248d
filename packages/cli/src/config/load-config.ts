import { createConfigCheck, DEFAULT_CONFIG, DevsError, type ConfigCheck, type DevsCoreConfig } from '@devs/core';
import { requireLayer, type LayerContent } from './layer.ts';
import type { Layer, LoadedConfig } from './loaded-config.ts';
import { mergeLayers, mergeProject } from './merge.ts';
import type { ProjectFile } from './project-file.ts';
import { listRunNames } from './server-check.ts';
import { findSources, type ConfigRequest, type Sources } from './sources.ts';
import { refuseWeakBoxes } from './weak-boxes.ts';

/**
 * What is in force in a root. Throws `CONFIG_INVALID` with file, line and column for a file that is meant
 * and cannot be used: never goes on with something weaker.
 */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const sources = await findSources(request);
  return protectRunFiles(await assemble(sources, sources.kind === 'layers' ? findApplied(sources.project) : undefined, request), request);
}

async function protectRunFiles(loaded: LoadedConfig, request: ConfigRequest): Promise<LoadedConfig> {
  const names = await listRunNames(loaded, request);
  if (names.length === 0) return loaded;
  const { config } = loaded;
  const files = Object.freeze({ ...config.files, protected: Object.freeze([...new Set([...config.files.protected, ...names])]) });
  return { ...loaded, config: Object.freeze({ ...config, files }) };
}

/** The nearest file with a record. */
export function findApplied(project: readonly ProjectFile[]): ProjectFile | undefined {
  return project.find(({ record }) => record !== undefined);
}

/** What would be in force with another project file in the place of the one that is. */
export async function assemble(sources: Sources, applied: ProjectFile | undefined, { variables }: ConfigRequest): Promise<LoadedConfig> {
  const files = listFiles(sources, applied);
  // The schema is compiled for files alone: most starts have none.
  if (files.length === 0) return { config: DEFAULT_CONFIG, layers: [], sources, written: { ...DEFAULT_CONFIG } };
  const check = createConfigCheck();
  const layers = await Promise.all(
    files.map(async ({ bytes, ...file }) => ({ ...file, ...(await requireLayer({ path: file.path, bytes }, { variables, check })) })),
  );
  refuseWeakBoxes(layers);
  const written = mergeAll(layers, (layer) => layer.written, { ...DEFAULT_CONFIG });
  return { config: complete(layers, check), layers, sources, written };
}

type Values = Readonly<Record<string, unknown>>;

function mergeAll(layers: readonly Layer[], contentOf: (layer: Layer) => Values, lowest: Values): Values {
  return layers.reduce<Values>((below, layer) => (layer.role === 'project' ? mergeProject : mergeLayers)(below, contentOf(layer)), lowest);
}

type LayerSource = Omit<Layer, keyof LayerContent> & { readonly bytes: Buffer };

function listFiles(sources: Sources, applied: ProjectFile | undefined): readonly LayerSource[] {
  if (sources.kind === 'operator') return [{ role: '--config', path: sources.path, bytes: sources.bytes }];
  const { path, bytes } = sources.user;
  const record = applied?.record;
  return [
    ...(bytes === undefined ? [] : [{ role: 'user', path, bytes } as const]),
    ...(record === undefined ? [] : [{ role: 'project', path: record.path, bytes: record.bytes, trustedAt: record.trustedAt } as const]),
  ];
}

function complete(layers: readonly Layer[], check: (input: unknown) => ConfigCheck): DevsCoreConfig {
  const checked = check(mergeAll(layers, ({ values }) => values, {}));
  if (!checked.ok) throw new DevsError('CONFIG_INVALID', { sentence: 'The configuration files do not fit together.' });
  return checked.config;
}
