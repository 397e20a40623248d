import { DevsError } from '@devs/core';
import { isWithin, toRealPlace } from './config/project.ts';
import type { Place } from './place.ts';
import { homesFor } from './state/account.ts';
import { closedFolders } from './state/closed-folders.ts';

/**
 * The file that heads are appended to must be no place that a tool reaches, where an agent could change what is to
 * accuse it, nor one of devs's own, which another line would break.
 * @throws DevsError `CONFIG_INVALID`
 */
export async function checkHeadsFile({ root, state, config }: Pick<Place, 'root' | 'state' | 'config'>): Promise<void> {
  const { file } = config.audit.heads;
  if (file === null) return;
  const place = await toRealPlace(file);
  // Those of other roots too: their names can be computed, and a trusted project file names any file.
  for (const folder of [root, ...closedFolders(state, process.env, homesFor(root))]) {
    if (!isWithin(place, await toRealPlace(folder))) continue;
    const why = folder === root ? 'the folder that the tools work on, where agents could change it' : "devs's own folder, whose files it could break";
    throw new DevsError('CONFIG_INVALID', { sentence: `audit.heads.file ${JSON.stringify(file)} lies in ${why}. Name a file elsewhere.` });
  }
}
