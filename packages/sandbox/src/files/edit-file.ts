import { closeSync, fstatSync } from 'node:fs';
import { DevsError, type EditedFile, type FileEdit } from '@devs/core';
import { parseAgentPath } from './agent-path.ts';
import type { FsRootParts } from './fs-root-parts.ts';
import { openAtEnd } from './read-slice.ts';
import { readWhole, refuseChanged } from './read-whole.ts';
import { replaceFile } from './replace-file.ts';
import { Walk } from './walk.ts';

export interface Edit<Edited extends EditedFile> {
  readonly edit: FileEdit<Edited>;
  readonly signal: AbortSignal;
}

/**
 * Reads a file, and puts what the edit makes of it in its place, all in the folder that one walk holds.
 * @throws DevsError FILE_CHANGED, FILE_TOO_LARGE (over `maxReadBytes`, before or after), what the edit
 * throws, and what reading and writing throw
 */
export async function editFile<Edited extends EditedFile>(
  parts: FsRootParts,
  path: string,
  { edit, signal }: Edit<Edited>,
): Promise<Edited> {
  const { segments, directory } = parseAgentPath(path, parts.places.spellings);
  if (directory) throw new DevsError('NOT_A_REGULAR_FILE');
  // As spelled too: a link called `.npmrc` is protected wherever it leads.
  parts.protection.refuseNames(segments);
  using walk = new Walk(parts, segments);
  const { name, file } = openAtEnd(walk, (names) => {
    parts.protection.refuseWriting(names);
  });
  try {
    const existing = fstatSync(file.descriptor);
    const read = await readWhole({ place: walk.here, name, descriptor: file.descriptor }, parts.maxReadBytes, signal);
    if (read === undefined) throw new DevsError('FILE_TOO_LARGE');
    // Before it is looked at: what the editor is shown depends on whose file it is.
    parts.onRead?.([...walk.names, name].join('/'));
    const edited = edit(read.bytes);
    if (edited.content.length > parts.maxReadBytes) throw new DevsError('FILE_TOO_LARGE');
    const lastCheck = async () => {
      await refuseChanged(read, signal);
    };
    await replaceFile(parts, { place: walk.here, name, existing }, { bytes: edited.content, signal, lastCheck });
    return edited;
  } finally {
    closeSync(file.descriptor);
  }
}
