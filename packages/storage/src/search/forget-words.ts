import { removeIndex } from './index-file.ts';

/**
 * Deletes the search index of a log, for whoever takes payloads or records out of the log: afterwards nobody knows which
 * words to take out of the index. It is to be called twice: before anything is taken (when it throws, nothing may be), and
 * again once that is committed, because a search that made an index in between has read what was still there.
 * The next search makes it anew. Taking single words out would keep it, but FTS5 needs 3 ms a call for leaving no byte of
 * them, and all that time no call could be written down.
 * @throws the system's error
 */
export function forgetWords(log: string): void {
  removeIndex(log);
}
