import { createHash } from 'node:crypto';
import { chmodSync, closeSync, constants, createReadStream, fchmodSync, fsyncSync, lstatSync, openSync, readSync, renameSync, statSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { childPath, type Place } from '../places.ts';
import { commitRefused } from './commit-refused.ts';
import { createFile, GitFolder, makeFolder, writeFully } from './git-folder.ts';

const FOLDER = /^[0-9a-f]{2}$/;
const FILE = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/;
const READ_ONLY = 0o444;
/** Bytes of one object, unpacked. */
const MOST_BYTES = 2_147_483_648;
const CHUNK = 1_048_576;

export interface TakenObjects {
  /** Absolute path of a git folder in which nothing runs any more. */
  readonly from: string;
  readonly format: 'sha1' | 'sha256';
  /** Letters, digits and `-`; another one each time. */
  readonly createId: () => string;
}

/**
 * Brings loose objects over into a repository. One that is not what its name says is not brought over: under the name of
 * another it would be handed out for that one ever after. What comes before it does no harm: nothing leads to it.
 * @throws DevsError COMMIT_REFUSED
 */
export async function takeObjects({ from, format, createId }: TakenObjects, to: GitFolder): Promise<void> {
  using folder = new GitFolder(from);
  for (const [prefix, rest] of looseObjects(folder)) {
    const descriptor = openSync(path.join(folder.path, 'objects', prefix, rest), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      if (await nameOf(descriptor, format) !== `${prefix}${rest}`) throw commitRefused('an object of the commit is not what its name says.');
      const copied = to.within(['objects'], (objects) => {
        makeLike(objects, prefix);
        return to.within(['objects', prefix], (place) => {
          copy(descriptor, place, { name: rest, temporary: `tmp_obj_devs-${createId()}` });
          return true;
        });
      });
      if (copied !== true) throw commitRefused('the repository has no folder for its objects.');
    } finally {
      closeSync(descriptor);
    }
  }
}

function looseObjects(folder: GitFolder): readonly (readonly [string, string])[] {
  return folder.list('objects').filter(({ name }) => FOLDER.test(name)).flatMap(({ name }) =>
    folder.list(`objects/${name}`).map((entry): readonly [string, string] => {
      if (entry.isFile() && FILE.test(entry.name)) return [name, entry.name];
      throw commitRefused('something else than an object lies among the objects of the commit.');
    }));
}

/** The hash of what is packed in the file: its name, when it is an object. */
async function nameOf(descriptor: number, format: string): Promise<string> {
  const hash = createHash(format);
  let size = 0;
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      size += chunk.length;
      hash.update(chunk);
      done(size > MOST_BYTES ? commitRefused('an object of the commit is too large.') : null);
    },
  });
  await pipeline(createReadStream('', { fd: descriptor, autoClose: false, start: 0 }), createInflate(), sink);
  return hash.digest('hex');
}

/** As the folder around it: a repository may be shared by a group. */
function makeLike(objects: Place, name: string): void {
  if (makeFolder(objects, name)) chmodSync(childPath(objects, name), statSync(objects.path).mode & 0o7777);
}

function copy(descriptor: number, place: Place, { name, temporary }: { readonly name: string; readonly temporary: string }): void {
  if (lstatSync(childPath(place, name), { throwIfNoEntry: false }) !== undefined) return;
  const target = createFile(place, temporary, READ_ONLY);
  try {
    const chunk = Buffer.alloc(CHUNK);
    let at = 0;
    for (let read = readSync(descriptor, chunk, 0, CHUNK, at); read > 0; read = readSync(descriptor, chunk, 0, CHUNK, at)) {
      writeFully(target, chunk.subarray(0, read));
      at += read;
    }
    fchmodSync(target, READ_ONLY);
    fsyncSync(target);
    renameSync(childPath(place, temporary), childPath(place, name));
  } catch (error) {
    unlinkSync(childPath(place, temporary));
    throw error;
  } finally {
    closeSync(target);
  }
}
