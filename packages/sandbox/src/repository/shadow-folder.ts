import { chownSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commitRefused } from './commit-refused.ts';
import type { Repository } from './find-repository.ts';
import { OBJECT_NAME, readPackedRefs, type RepositoryState } from './repository-state.ts';
import type { FolderOwner } from './private-folder.ts';

const MOST_LOOSE_REFS = 20_000;
const MOST_BYTES_OF_A_REF = 4_096;
const MOST_BYTES_OF_RULES = 4_194_304;
const MAX_DEPTH = 32;

/** A git folder of its own, of which nothing but the objects is shared. */
export interface ShadowContent {
  readonly head: string;
  readonly config: string;
  readonly index?: Pick<RepositoryState, 'index' | 'indexTime'>;
  /** Absolute paths of object folders to read from. */
  readonly objects: readonly string[];
  /** Other files, by their path. */
  readonly files?: ReadonlyMap<string, Buffer>;
}

/** Writes a git folder where there was nothing. */
export function writeShadow(folder: string, content: ShadowContent, owner: FolderOwner | undefined): void {
  const { head, config, index, objects, files = new Map<string, Buffer>() } = content;
  const make = (name: string) => {
    makeOwned(folder, name, owner);
  };
  const write = (name: string, bytes: Buffer | string) => {
    if (path.dirname(name) !== '.') make(path.dirname(name));
    writeFileSync(path.join(folder, name), bytes, { flag: 'wx' });
    if (owner !== undefined) chownSync(path.join(folder, name), owner.uid, owner.gid);
  };
  for (const name of ['', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) make(name);
  write('HEAD', `${head}\n`);
  write('config', config);
  write('objects/info/alternates', objects.map((place) => `${place}\n`).join(''));
  if (index?.index !== undefined) {
    write('index', index.index);
    utimesSync(path.join(folder, 'index'), index.indexTime, index.indexTime);
  }
  for (const [name, bytes] of files) write(name, bytes);
}

/** What hooks may ask git about, and what a commit goes by: branches and tags, what is ignored, where a shallow clone ends. */
export function readShadowFiles({ common }: Repository, { head }: RepositoryState): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  const packed = readPackedRefs(common);
  if (packed !== undefined) files.set('packed-refs', packed);
  for (const name of ['info/exclude', 'info/attributes', 'shallow']) {
    const bytes = common.read(name, MOST_BYTES_OF_RULES);
    if (bytes !== undefined) files.set(name, bytes);
  }
  const refs = looseRefs(common, ['refs']);
  if (refs.length > MOST_LOOSE_REFS) throw commitRefused('the repository has very many loose branches and tags.', { suggestion: 'Have someone run git pack-refs.' });
  for (const ref of refs) {
    const bytes = common.read(ref, MOST_BYTES_OF_A_REF);
    if (bytes !== undefined && (ref === head.ref || isRef(bytes.toString().trimEnd()))) files.set(ref, bytes);
  }
  return files;
}

function isRef(text: string): boolean {
  return OBJECT_NAME.test(text) || /^ref: refs\/[^\n]+$/.test(text);
}

function looseRefs(common: Repository['common'], names: readonly string[]): string[] {
  if (names.length > MAX_DEPTH) return [];
  const folder = names.join('/');
  return common.list(folder).flatMap((entry) => {
    if (entry.isDirectory()) return looseRefs(common, [...names, entry.name]);
    return entry.isFile() && !entry.name.endsWith('.lock') ? [`${folder}/${entry.name}`] : [];
  });
}

function makeOwned(folder: string, name: string, owner: FolderOwner | undefined): void {
  const first = mkdirSync(path.join(folder, name), { recursive: true, mode: 0o700 });
  if (first === undefined || owner === undefined) return;
  for (let made = path.join(folder, name); made.length >= first.length; made = path.dirname(made)) chownSync(made, owner.uid, owner.gid);
}
