import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, isRecord } from '@devs/core';
import { preparePrivateFolder, readPrivate, replacePrivate, syncFolder } from './private-file.ts';
import { isHex, parseJson, toHeadLine, toSignedHead, type SignedHead } from './signed-head.ts';

const MAX_HEAD_FILE_BYTES = 4_096;
/** Room for the longest path. */
const MAX_PLACE_FILE_BYTES = 65_536;

/**
 * What devs itself remembers of logs, apart from them: the last signed head of each, and which log lay where. Without
 * the second, a log that is deleted and begun anew would have a name that nobody remembers anything of.
 */
export class HeadMemory {
  readonly #folder: string;

  /** @param folder for its owner alone; made, with those above, by the first write */
  constructor(folder: string) {
    this.#folder = path.resolve(folder);
  }

  /** The last head of a log; `broken`: there is a file, and nothing that devs wrote in it. @throws DevsError `STATE_UNUSABLE` */
  read(store: string): SignedHead | 'broken' | undefined {
    const text = readPrivate(this.headFile(store), MAX_HEAD_FILE_BYTES);
    return text === undefined ? undefined : (toSignedHead(parseJson(text)) ?? 'broken');
  }

  /** Throws the system's error when it cannot be kept. */
  remember(store: string, head: SignedHead): void {
    preparePrivateFolder(this.#folder);
    replacePrivate(this.headFile(store), `${toHeadLine(head)}\n`);
  }

  /** Which log lay at a path; null: there is a file, and nothing that devs wrote in it. @throws DevsError `STATE_UNUSABLE` */
  readPlace(log: string): string | null | undefined {
    const text = readPrivate(this.#placeFile(log), MAX_PLACE_FILE_BYTES);
    if (text === undefined) return undefined;
    const value = parseJson(text);
    return isRecord(value) && value['v'] === 1 && value['log'] === log && isHex(value['store'], 32) ? value['store'] : null;
  }

  rememberPlace(log: string, store: string): void {
    preparePrivateFolder(this.#folder);
    replacePrivate(this.#placeFile(log), `${JSON.stringify({ v: 1, log, store })}\n`);
  }

  /** Keeps the head of a log beside, under the next free number, and forgets it. */
  setAside(store: string): void {
    const file = this.headFile(store);
    for (let number = 1; ; number += 1) {
      const aside = path.join(this.#folder, `${store}.${number}.json`);
      // A link, not a rename: that would write over a head which another process has just put aside.
      const outcome = tryLink(file, aside);
      if (outcome === 'taken') continue;
      if (outcome === 'linked') fs.rmSync(file);
      break;
    }
    syncIfThere(this.#folder);
  }

  forgetPlace(log: string): void {
    fs.rmSync(this.#placeFile(log), { force: true });
    syncIfThere(this.#folder);
  }

  /** Where the head of a log lies. Names no file outside the folder, whatever a log calls itself. */
  headFile(store: string): string {
    return path.join(this.#folder, `${isHex(store, 32) ? store : '0'.repeat(32)}.json`);
  }

  #placeFile(log: string): string {
    return path.join(this.#folder, `place-${createHash('sha256').update(log).digest('hex').slice(0, 32)}.json`);
  }
}

function tryLink(file: string, aside: string): 'linked' | 'taken' | 'nothing there' {
  try {
    fs.linkSync(file, aside);
    return 'linked';
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return 'taken';
    if (errnoOf(cause) === 'ENOENT') return 'nothing there';
    throw cause;
  }
}

function syncIfThere(folder: string): void {
  if (fs.existsSync(folder)) syncFolder(folder);
}
