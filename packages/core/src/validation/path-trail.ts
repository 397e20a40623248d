import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { DevsError, errnoOf } from '../errors.ts';
import { beginsWith, joinSegments, splitPath } from './path-segments.ts';

/** As many as Linux follows. */
const MAX_LINKS = 40;
/** Every link may bring 2,000 segments along: so many in all are looked at. */
const MAX_STEPS = 4_096;

/** A folder by the path that people write and by the one that it really has. */
export interface Anchor {
  readonly spelled: readonly string[];
  readonly real: readonly string[];
}

/** Who walks, and what stops it. */
export interface Guide {
  readonly anchors: readonly Anchor[];
  /** Is told every name before it is looked up, and throws where the walk must not go: it learns nothing of what is there. */
  readonly onStep: (step: readonly string[]) => void;
  /** Is told of every link before it is followed. */
  readonly onLink: () => void;
}

interface Way {
  readonly here: string[];
  /** What is still to be walked, the next segment last. */
  readonly rest: string[];
}

/**
 * Follows an absolute path by hand, one segment at a time, as the system would: a link is read and its
 * target walked from where it lies. A path that lies in an anchor by its spelling starts at the real
 * folder, so that links on the way to it are nobody's links. Nothing is opened. Gives the segments of
 * where it ends; what does not exist lies where its deepest existing ancestor says.
 * @throws DevsError PATH_REFUSED (too many links or segments, `..` out of what is not there),
 * NOT_A_DIRECTORY, PERMISSION_DENIED, and what the guide throws
 */
export async function followPath(segments: readonly string[], guide: Guide): Promise<readonly string[]> {
  const way = startOf(segments, guide.anchors);
  let left = MAX_STEPS;
  let links = 0;
  let missing = false;
  for (let name = way.rest.pop(); name !== undefined; name = way.rest.pop()) {
    if (left-- === 0) throw refused('The path has too many segments.');
    if (name === '..') {
      if (missing) throw refused('The path goes back by ".." out of a folder that does not exist. Write it without "..".');
      way.here.pop();
      continue;
    }
    const step = [...way.here, name];
    guide.onStep(step);
    const stats: Stats | undefined = missing ? undefined : await look(step);
    if (stats?.isSymbolicLink() === true) {
      guide.onLink();
      if (links++ === MAX_LINKS) throw refused('The path goes through too many symbolic links, or round in a circle.');
      await turnInto(way, step, guide.anchors);
      continue;
    }
    missing = stats === undefined;
    if (stats?.isDirectory() === false && way.rest.length > 0) throw new DevsError('NOT_A_DIRECTORY');
    way.here.push(name);
  }
  return way.here;
}

function startOf(segments: readonly string[], anchors: readonly Anchor[]): Way {
  for (const { spelled, real } of anchors) {
    const prefix = [spelled, real].find((spelling) => beginsWith(segments, spelling));
    if (prefix !== undefined) return { here: [...real], rest: segments.slice(prefix.length).toReversed() };
  }
  return { here: [], rest: segments.toReversed() };
}

/** Goes on at a link's target: from the folder that holds it, or from the start. */
async function turnInto(way: Way, link: readonly string[], anchors: readonly Anchor[]): Promise<void> {
  const target = await attempt(() => readlink(joinSegments(link)));
  // Gone since it was looked at: somebody is changing the way while it is walked.
  if (target === undefined) throw new DevsError('PATH_REFUSED');
  const segments = splitPath(target);
  if (!target.startsWith('/')) {
    way.rest.push(...segments.toReversed());
    return;
  }
  const { here, rest } = startOf(segments, anchors);
  way.here.splice(0, way.here.length, ...here);
  way.rest.push(...rest);
}

/** Undefined when nothing is there. */
async function look(step: readonly string[]): Promise<Stats | undefined> {
  return await attempt(() => lstat(joinSegments(step)));
}

async function attempt<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') throw new DevsError('NOT_A_DIRECTORY', { cause });
    if (code === 'EACCES' || code === 'EPERM') throw new DevsError('PERMISSION_DENIED', { cause });
    // What cannot be looked at cannot be judged.
    throw new DevsError('PATH_REFUSED', { cause });
  }
}

function refused(sentence: string): DevsError {
  return new DevsError('PATH_REFUSED', { sentence });
}
