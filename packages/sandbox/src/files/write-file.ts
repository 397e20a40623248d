import { closeSync, fstatSync, lstatSync } from 'node:fs';
import { DevsError, type WriteOutcome, type WriteRequest } from '@devs/core';
import { parseAgentPath } from './agent-path.ts';
import type { FsRootParts } from './fs-root-parts.ts';
import { childPath } from './places.ts';
import { readWhole, refuseChanged, refuseOther } from './read-whole.ts';
import { replaceFile } from './replace-file.ts';
import { Walk } from './walk.ts';
import { findWriteTarget, type WriteTarget } from './write-target.ts';

interface Writing extends WriteRequest {
  readonly walk: Walk;
  readonly target: WriteTarget;
}

/**
 * Creates a file, or replaces all of it, in the folder that one walk holds.
 * @throws DevsError FILE_CHANGED, what the judge throws, and what reading (if there is a judge) and writing throw
 */
export async function writeFile(parts: FsRootParts, path: string, request: WriteRequest): Promise<WriteOutcome> {
  const { segments, directory } = parseAgentPath(path, parts.places.spellings);
  if (directory) throw new DevsError('NOT_A_REGULAR_FILE');
  // As spelled too: a link called `.npmrc` is protected wherever it leads.
  parts.protection.refuseNames(segments);
  using walk = new Walk(parts, segments);
  try {
    const target = findWriteTarget(parts, walk);
    using judged = await judge(parts, { ...request, walk, target });
    const lastCheck = async () => {
      await judged.confirm();
    };
    await replaceFile(parts, target, { bytes: request.bytes, signal: request.signal, lastCheck });
    return { created: target.existing === undefined };
  } catch (error) {
    walk.removeMade();
    throw error;
  }
}

/** What a judge was shown, open until it is replaced. */
interface Judged extends Disposable {
  /** @throws DevsError FILE_CHANGED: it is not there any more, or other bytes are */
  readonly confirm: () => Promise<void> | void;
}

async function judge(parts: FsRootParts, writing: Writing): Promise<Judged> {
  const { target, judge: ask } = writing;
  if (ask !== undefined && target.existing !== undefined) return await judgeExisting(parts, { ...writing, judge: ask });
  ask?.('none');
  const confirm = () => {
    if (ask !== undefined) refuseAny(target);
  };
  return { confirm, [Symbol.dispose]: () => {} };
}

function refuseAny({ place, name }: WriteTarget): void {
  if (lstatSync(childPath(place, name), { throwIfNoEntry: false }) !== undefined) throw new DevsError('FILE_CHANGED');
}

/** Only the descriptor that was read says which file it was: the one under the name may be another by now. */
async function judgeExisting(
  parts: FsRootParts,
  { walk, target, judge: ask, signal }: Writing & Required<Pick<Writing, 'judge'>>,
): Promise<Judged> {
  const { place, name } = target;
  const file = walk.open(name);
  if (file.kind !== 'file') throw new DevsError('FILE_CHANGED');
  const { descriptor } = file;
  const close = () => {
    closeSync(descriptor);
  };
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    const read = await readWhole({ place, name, descriptor }, parts.maxReadBytes, signal);
    parts.onRead?.([...walk.names, name].join('/'));
    ask(read?.bytes ?? 'too-large');
    const confirm = async () => {
      if (read === undefined) refuseOther({ place, name, stats });
      else await refuseChanged(read, signal);
    };
    return { confirm, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}
