import path from 'node:path';
import type { ProjectBoxes } from '@devs/sandbox';

const MOST_NAMED = 8;

/** What commands find read-only because files in it have names outside of the project too (hard links), by paths below the root. */
export async function listLinkedFiles(root: string, findLinked: ProjectBoxes['findLinked']): Promise<readonly string[]> {
  return (await findLinked()).map((place) => path.relative(root, place));
}

/** Nothing where there is none: most projects have no such files. */
export function describeLinkedFiles(linked: readonly string[]): readonly string[] {
  if (linked.length === 0) return [];
  const rest = linked.length > MOST_NAMED ? `, and ${String(linked.length - MOST_NAMED)} more` : '';
  return [
    'Files that are also elsewhere, by hard links, and so are read-only to commands',
    `  read-only  ${linked.slice(0, MOST_NAMED).join(', ')}${rest}`,
    '  fix        let your package manager copy, and install again. pnpm: "packageImportMethod: clone-or-copy" in pnpm-workspace.yaml; uv: UV_LINK_MODE=copy; bun: --backend=copyfile',
    '',
  ];
}
