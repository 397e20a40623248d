import type { Layer, LoadedConfig } from './loaded-config.ts';
import type { ProjectFile } from './project-file.ts';
import { showEntries } from './show.ts';

/** One key that is in force. */
export interface DescribedKey {
  readonly key: string;
  /** As it stands in the file, secrets hidden. */
  readonly value: unknown;
  /** JSON on one line, or `(hidden)`. */
  readonly shown: string;
  /** `default`, `user file`, `--config file`, `project file (trusted on …)`; several where files add up. */
  readonly source: string;
}

export interface DescribedFile {
  readonly role: 'user' | 'project' | '--config';
  readonly path: string;
  readonly status: string;
}

/** Every key with its value and who said it. */
export function describeKeys({ layers, written }: LoadedConfig): readonly DescribedKey[] {
  const said = layers.map((layer) => ({ source: sourceOf(layer), keys: new Set(showEntries(layer.written).map(({ key }) => key)) }));
  const entries = showEntries(written);
  const empty = ['tools', 'mcpServers'].filter((section) => !entries.some(({ key }) => key.startsWith(section)));
  return [...entries, ...empty.map((key) => ({ key, value: {}, shown: '{}' }))].map(({ key, value, shown }) => {
    const sources = said.filter(({ keys }) => keys.has(key)).map(({ source }) => source);
    const source = isSum(key) ? sources.join(', ') : sources.at(-1);
    return { key, value, shown, source: source || 'default' };
  });
}

/** Every file that was looked at, and what became of it. */
export function describeFiles({ sources, layers }: LoadedConfig): readonly DescribedFile[] {
  if (sources.kind === 'operator') return [{ role: '--config', path: sources.path, status: 'in force' }];
  const { user, project } = sources;
  const userStatus = user.bytes === undefined ? (user.notUsed ?? 'not there') : 'in force';
  const applied = layers.find(({ role }) => role === 'project');
  return [
    { role: 'user', path: user.path, status: userStatus },
    ...project.map((file) => ({ role: 'project', path: file.path, status: statusOf(file, applied) }) as const),
  ];
}

/** Lists to which every file adds. */
function isSum(key: string): boolean {
  return key === 'files.protected' || key.endsWith('files.blocked');
}

function sourceOf({ role, trustedAt }: Layer): string {
  return trustedAt === undefined ? `${role} file` : `${role} file (trusted on ${trustedAt})`;
}

function statusOf({ path, record, current, distrust }: ProjectFile, applied: Layer | undefined): string {
  if (record === undefined) {
    if (current.kind === 'absent') return 'not there';
    if (current.kind === 'unusable') return `${current.problem}; not applied`;
    return distrust === undefined ? 'not trusted; not applied' : `not applied: ${distrust}`;
  }
  const inForce = applied?.path === path ? `in force as trusted on ${record.trustedAt}` : 'trusted; another file takes its place';
  if (current.kind === 'absent') return `${inForce}; the file is gone`;
  if (current.kind === 'unusable') return `${inForce}; the file ${current.problem}`;
  return current.bytes.equals(record.bytes) ? inForce : `${inForce}; the file has changed`;
}
