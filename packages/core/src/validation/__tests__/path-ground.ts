import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder with a file and links in it, and a folder beside it that nothing may reach. */
export interface PathGround extends Disposable {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  at(...names: string[]): string;
}

const LINKS: readonly (readonly [name: string, target: string])[] = [
  ['to-f', 'f'],
  ['to-e', 'd/e'],
  ['d/up', '..'],
  ['dangling', 'none/below'],
  ['dangling-out', '../outside/none'],
  ['circle', 'circle'],
  ['ring-1', 'ring-2'],
  ['ring-2', 'ring-1'],
  ['out', '../outside'],
  ['out-file', '../outside/secret.txt'],
  ['d/up-out', '../../outside'],
  ['to-out', 'out/secret.txt'],
  ['to-slash', '/'],
  ['to-proc', '/proc/self/root'],
  ['to-secrets', 'secrets'],
  ['secrets/to-d', '../d'],
];

export function createPathGround(): PathGround {
  const base = mkdtempSync(path.join(realpathSync(tmpdir()), 'devs-paths-'));
  const root = path.join(base, 'root');
  const outside = path.join(base, 'outside');
  const at = (...names: string[]) => path.join(root, ...names);
  for (const folder of [at('d/e'), at('secrets'), outside, `${root}-evil`]) mkdirSync(folder, { recursive: true });
  for (const file of [at('f'), at('d/e/g'), at('secrets/key')]) writeFileSync(file, 'inside');
  for (const file of [path.join(outside, 'secret.txt'), path.join(`${root}-evil`, 'f')]) writeFileSync(file, 'outside');
  for (const [name, target] of LINKS) symlinkSync(target, at(name));
  symlinkSync(root, at('absolute'));
  symlinkSync(outside, at('absolute-out'));
  symlinkSync(`${root}/../outside`, at('sneaky'));
  symlinkSync(root, path.join(base, 'alias'));
  return { base, root, outside, at, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}
